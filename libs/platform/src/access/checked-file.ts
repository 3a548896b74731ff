import { readFileSync, statSync } from 'node:fs';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { CurtailError, inPlainWords, schemaFaults, yamlFaults } from '#contracts';

/** One fault of a file. Line and column count from 1; they are absent where the file cannot be read. */
export interface FileFault {
  line?: number;
  column?: number;
  /** Such as `grants[2].role`; empty: the text itself. */
  field: string;
  message: string;
}

/** A file that cannot be used, with every fault that was found. */
export class RefusedFile extends CurtailError {
  readonly code = 'file-refused';

  constructor(
    readonly path: string,
    readonly faults: readonly FileFault[],
  ) {
    super(faults.map((fault) => faultText(path, fault)).join('\n'));
  }
}

/** `policy.yaml:3:11: grants[0].role: …` */
export function faultText(path: string, { line, column, field, message }: FileFault): string {
  const place = line === undefined ? path : `${path}:${line}:${column}`;
  return [place, ...(field === '' ? [] : [field]), message].join(': ');
}

const bytesAtMost = 4 * 1024 * 1024;

/** Reads a text as UTF-8. @throws RefusedFile */
export function readChecked<T extends z.ZodType>(path: string, schema: T): z.output<T> {
  return checkedContent(path, textOf(path), schema);
}

function textOf(path: string): string {
  const refused = (message: string) => new RefusedFile(path, [{ field: '', message }]);
  try {
    if (statSync(path).size > bytesAtMost)
      throw refused(`has more than ${bytesAtMost} bytes, the limit: write fewer entries`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof RefusedFile) throw error;
    throw refused(
      `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}): name a file that Curtail may read`,
    );
  }
}

/** The checked content of YAML or JSON. @throws RefusedFile. No message quotes a value that may be a secret. */
export function checkedContent<T extends z.ZodType>(path: string, text: string, schema: T): z.output<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const wrong = yamlFaults(text, document.errors).map(({ message, offset }) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, field: '', message };
  });
  if (wrong.length > 0) throw new RefusedFile(path, wrong);
  const { success, data, error } = schema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {}, {
    error: inPlainWords,
  });
  if (success) return data;
  throw new RefusedFile(
    path,
    schemaFaults(error.issues).map(({ path: field, message }) => ({
      ...placeOf(document, lines, field),
      field,
      message,
    })),
  );
}

/** Where a field is, or the last one above it that is there. */
function placeOf(document: Document, lines: LineCounter, field: string): { line: number; column: number } {
  const steps = [...field.matchAll(/"((?:[^"\\]|\\.)*)"|\[(\d+)\]|([^."[\]]+)/g)].map(
    ([, quoted, index, name]) => (index !== undefined ? Number(index) : (quoted ?? name!)),
  );
  for (let length = steps.length; length > 0; length--) {
    const node = document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}
