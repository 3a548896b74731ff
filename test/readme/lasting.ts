/**
 * The constant part of an output: times, ages, ids and digests become their kinds, blanks collapse, and so do the lines
 * that a longer or shorter time may break in another place.
 */
export function lasting(text: string): string {
  return (
    text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>')
      .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
      .replaceAll(/\bin \d+ (?:s|min|h)(?: \d+ (?:s|min))?\b/g, 'in <n>')
      .replaceAll(/\b(?:\d+ h )?(?:\d+ min )?\d+ (?:s|ms|min|h) (ago|late|after|ahead)\b/g, '<n> $1')
      .replaceAll('just now', '<n> ago')
      .replaceAll(/on time|<n> late/g, '<lateness>')
      .replaceAll(/\be-[0-9a-z]{12}\b/g, '<run>')
      .replaceAll(/snapshot [0-9a-f]{12}/g, 'snapshot <digest>')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
      .replaceAll(/#token=[\w-]+/g, '#token=<token>')
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
      .replaceAll(/\b(configuration|version) \d+\b/g, '$1 <n>')
      // In the list of versions, and in what it tells to type.
      .replaceAll(/\b\d+ <n> ago (?=\S+ (?:http|kafka) )/g, '<version> <n> ago ')
      .replaceAll(/\b(diff|rollback) \d+(?: \d+)?\b/g, '$1 <version>')
      .replaceAll(/\b127\.0\.0\.1:\d+/g, '<address>')
      .trim()
  );
}

/** Numbers of versions in a list of them, and in commands that name them. */
const versions =
  /(?<=^ *)\d+(?= +(?:\d[\w ]*? ago|just now) +\S+ +(?:http|kafka) )|(?<=\b(?:diff|rollback)(?: \d+)? )\d+\b/gm;

/** The text with the numbers of versions replaced by letters, in the order of the numbers: which of them is the newer one stays. */
export function withoutVersions(text: string): string {
  const numbers = [...new Set(text.match(versions))].sort((a, b) => Number(a) - Number(b));
  return text.replaceAll(
    versions,
    (number) => `<version ${String.fromCharCode(97 + numbers.indexOf(number))}>`,
  );
}
