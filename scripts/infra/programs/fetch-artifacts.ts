import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Artifact, nameOf } from './artifacts.js';

const atOnce = 8;
const attempts = 3;
const patienceMs = 120_000;

export interface FetchOptions {
  /** Of a repository laid out as Maven's, without a slash at the end. */
  address: string;
  artifacts: Artifact[];
  into: string;
  /** Called with the number of bytes that came since the last time. */
  onBytes?: (count: number) => void;
}

/**
 * Gets the files without Maven, several at once. A file has its name only when its checksum is right, and no more of it is
 * read than it should have. @throws Error that names the file and what is wrong with it.
 */
export async function fetchArtifacts({
  address,
  artifacts,
  into,
  onBytes = () => {},
}: FetchOptions): Promise<void> {
  const left = [...artifacts];
  const worker = async () => {
    for (let artifact = left.shift(); artifact; artifact = left.shift()) {
      await fetchStubbornly(artifact, address, into, onBytes);
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: atOnce }, () => worker().catch(stopAll(left))),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** A failure takes the others' further work away. */
function stopAll(left: Artifact[]) {
  return (error: unknown) => {
    left.length = 0;
    throw error;
  };
}

async function fetchStubbornly(
  artifact: Artifact,
  address: string,
  into: string,
  onBytes: (count: number) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let got = 0;
    const count = (bytes: number) => {
      got += bytes;
      onBytes(bytes);
    };
    try {
      return await fetchOne(artifact, address, into, count);
    } catch (error) {
      onBytes(-got);
      if (attempt === attempts || error instanceof WrongContent) throw error;
    }
  }
}

/** The received file is not the requested one: asking again would not help. */
class WrongContent extends Error {}

async function fetchOne(
  artifact: Artifact,
  address: string,
  into: string,
  onBytes: (count: number) => void,
): Promise<void> {
  const url = `${address}/${artifact.path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch((error: Error) => {
    throw new Error(`${url}: ${causeOf(error)}`);
  });
  if (!response.ok || !response.body)
    throw new Error(`${url}: the answer is ${response.status} ${response.statusText}`);
  const name = join(into, nameOf(artifact));
  const partial = `${name}.partial`;
  const file = await open(partial, 'w');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > artifact.bytes)
        throw new WrongContent(`${url}: longer than the ${artifact.bytes} bytes it should have`);
      hash.update(chunk);
      onBytes(chunk.length);
      await file.writeFile(chunk);
    }
    const sha256 = hash.digest('hex');
    if (sha256 !== artifact.sha256) {
      throw new WrongContent(`${url}: its SHA-256 is ${sha256}, and should be ${artifact.sha256}`);
    }
    await file.close();
    await rename(partial, name);
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    throw error;
  }
}

/** `fetch failed` does not state the reason; the cause does. */
function causeOf(error: Error): string {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.message || cause?.code || error.message;
}
