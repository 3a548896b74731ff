import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Stack traces name lines of TypeScript. A map is read when the first stack trace has its file: `--enable-source-maps` reads and keeps that of
 * every file that is loaded, which takes 15 MB in each process.
 */

const maps = new Map<string, SourceMap | undefined>();

/** From here on, the stack traces of this process name the lines of the sources that its own files were compiled from. */
export function mapStacks(): void {
  // The sources themselves run, as in tests.
  if (!import.meta.url.endsWith('js')) return;
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => {
      const [file, line, column] = [
        site.getScriptNameOrSourceURL(),
        site.getLineNumber(),
        site.getColumnNumber(),
      ];
      const text = `\n    at ${site}`;
      if (!file?.startsWith('file:') || line === null || column === null) return text;
      return text.replace(`${file}:${line}:${column}`, () => sourcePlace(file, line, column));
    });
    return `${Error.prototype.toString.call(error)}${lines.join('')}`;
  };
}

/**
 * The place in the source, `/path/to/file.ts:12:5`; that in the file itself if it has no map.
 *
 * @param file its URL.
 * @param line counted from 1, as the column.
 */
export function sourcePlace(file: string, line: number, column: number): string {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return `${file}:${line}:${column}`;
  const source = join(dirname(fileURLToPath(file)), entry.originalSource);
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file))
    maps.set(file, file.includes('/node_modules/') ? undefined : readMap(`${fileURLToPath(file)}.map`));
  return maps.get(file);
}

/** A stack trace must not fail for want of a map. */
function readMap(path: string): SourceMap | undefined {
  try {
    return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
  } catch {
    return undefined;
  }
}
