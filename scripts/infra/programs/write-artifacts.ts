import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCache } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { type Artifact, artifactsFile } from './artifacts.js';
import { findJava, javaRemedy } from './java.js';
import { runMaven } from './maven.js';

/** Writes artifacts.json again from what the POM resolves to now. For who changes a version; resolves to the number of files. */
export async function writeArtifacts(): Promise<number> {
  const cache = openCache();
  const java = await findJava(cache);
  if (!java) throw new InfraError('There is no Java to run Maven with.', javaRemedy);
  const into = await mkdtemp(join(tmpdir(), 'curtail-artifacts-'));
  try {
    await runMaven({ java, cache, artifacts: [], into, more: ['-Dmdep.useRepositoryLayout=true'] });
    const entries = await readdir(into, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jar'));
    const artifacts: Artifact[] = [];
    for (const file of files) {
      const bytes = await readFile(join(file.parentPath, file.name));
      const path = join(file.parentPath, file.name).slice(into.length + 1);
      artifacts.push({ path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    }
    artifacts.sort((a, b) => (a.path < b.path ? -1 : 1));
    await writeFile(artifactsFile, `${JSON.stringify(artifacts, null, 2)}\n`);
    return artifacts.length;
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}
