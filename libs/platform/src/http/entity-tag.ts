import { InputError } from '#contracts';

/** The entity tag of a version. RFC 9110 §8.8.3 */
export const tagOf = (version: number): string => `"${version}"`;

/**
 * The version that a request expects, from its header `If-Match: "7"`. RFC 9110 §13.1
 *
 * @param read the operation whose ETag is meant, such as `GET /v1/partitions/{partition}/config`.
 * @returns undefined without the header.
 * @throws InputError that names the header.
 */
export function versionToMatch(ifMatch: string | undefined, read: string): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = /^\s*"(\d{1,9})"\s*$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  throw new InputError('If-Match', `write the ETag of ${read}, such as "7"`);
}
