import { z } from 'zod';
import { counted } from '#contracts';
import { isSignedBy, type PublicKey } from '#platform';
import { parsed } from './checkpoints.js';

/** What is wrong with an exported audit, and at which of its lines, from 1. */
export interface AuditFault {
  kind: 'changed' | 'missing' | 'added' | 'reordered' | 'unsigned' | 'old';
  line: number;
  message: string;
}

/** What was compared. */
export interface AuditedFile {
  records: number;
  pages: number;
  /** What the last page says of the whole export, signed; null: the last page is missing or was changed. */
  export: ExportScope | null;
  faults: AuditFault[];
}

/** What an export has: records up to `at`, when the log ended at the position `end`, of this period, partition and subject (null: all). */
type ExportScope = Pick<
  z.infer<typeof signatureLine>['page'],
  'at' | 'end' | 'since' | 'until' | 'partition' | 'by'
>;

const logPosition = z.string().regex(/^\d{1,18}$/);
/** In the order of its fields, which is signed. */
const signatureLine = z.strictObject({
  page: z.strictObject({
    since: z.string(),
    until: z.string().nullable(),
    partition: z.string().nullable(),
    by: z.string().nullable(),
    after: logPosition,
    next: logPosition.nullable(),
    records: z.number().int().min(0),
    at: z.iso.datetime(),
    end: logPosition,
  }),
  signature: z.strictObject({ alg: z.literal('EdDSA'), kid: z.string(), signature: z.string() }),
});
const position = (line: string) => {
  const { data } = z.object({ position: logPosition }).safeParse(parsed(line));
  return data && BigInt(data.position);
};

/**
 * Checks the lines of `curtail audit -o jsonl`: each page must have a signature of one of the keys over its records and over where it stands,
 * the first must begin at the beginning, each must go on where the one before it ends, and the last must say that it is the last.
 *
 * @param newerThan an instant: a complete file of before is refused. Nothing else tells it from a current one.
 */
export function checkAudit(text: string, keys: readonly PublicKey[], newerThan?: string): AuditedFile {
  const found: AuditedFile = { records: 0, pages: 0, export: null, faults: [] };
  const fault = (kind: AuditFault['kind'], line: number, message: string) =>
    found.faults.push({ kind, line, message });
  let records: string[] = [];
  let next: string | null = '0';
  let scope: string | undefined;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    const { data } = signatureLine.safeParse(parsed(line));
    if (data === undefined) {
      records.push(line);
      continue;
    }
    const [{ page, signature }, at, first] = [data, index + 1, index + 1 - records.length];
    found.records += records.length;
    found.pages += 1;
    const isSigned = isSignedBy(
      keys,
      records.map((one) => `${one}\n`).join('') + JSON.stringify(page),
      signature,
    );
    if (!isSigned) {
      if (!keys.some(({ kid }) => kid === signature.kid))
        fault('unsigned', at, `the signature is of another key: ${signature.kid}`);
      else {
        const where = records.length === 0 ? `line ${at}` : `lines ${first} to ${at}`;
        const { kind, message } = difference(records, page.records);
        fault(kind, first, `${where}: ${message}`);
      }
    }
    const own = JSON.stringify([page.since, page.until, page.partition, page.by]);
    if (page.after !== next || (scope ?? own) !== own)
      fault(
        next !== null && BigInt(page.after) > BigInt(next) ? 'missing' : 'reordered',
        first,
        next === null
          ? 'a page follows the last one'
          : `the page begins after position ${page.after}, not after ${next}, or is of another export`,
      );
    [next, scope, records] = [page.next, own, []];
    const { since, until, partition, by, end } = page;
    found.export = isSigned && next === null ? { at: page.at, end, since, until, partition, by } : null;
  }
  if (records.length > 0)
    fault('unsigned', lines.length, `no signature follows the last ${counted(records.length, 'record')}`);
  else if (next !== null)
    fault(
      'missing',
      lines.length,
      found.pages === 0 ? 'the file has no signature' : `the pages after position ${next} are missing`,
    );
  const { at } = found.export ?? {};
  if (at !== undefined && newerThan !== undefined && Date.parse(at) < Date.parse(newerThan))
    fault('old', lines.length, `the export is of ${at}, which is before ${newerThan}`);
  return found;
}

/** How records differ from those that were signed, as far as they tell. */
function difference(
  records: readonly string[],
  signed: number,
): { kind: AuditFault['kind']; message: string } {
  const count = `the signed page has ${counted(signed, 'record')}, these are ${records.length}`;
  if (records.length < signed) return { kind: 'missing', message: count };
  if (records.length > signed) return { kind: 'added', message: count };
  const positions = records.map(position);
  const isOrdered = positions.every(
    (one, index) => index === 0 || (one ?? 0n) > (positions[index - 1] ?? 0n),
  );
  return isOrdered
    ? { kind: 'changed', message: 'they are not the records that were signed' }
    : { kind: 'reordered', message: 'the records are not in the order of the log' };
}
