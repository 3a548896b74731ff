import { SourceMap } from 'node:module';
import { transformFile } from '@swc/core';

/**
 * The numbers of the lines of a TypeScript file that something was compiled from: no comments, no types, and of a text of many lines, such as SQL,
 * only the first.
 */
export async function codeLines(file) {
  const { code, map } = await transformFile(file, {
    sourceMaps: true,
    configFile: false,
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
  });
  // All of it were types.
  if (/^\s*export \{\s*\};?\s*$/.test(code.replace(/\/\/#.*/g, ''))) return new Set();
  const sourceMap = new SourceMap(JSON.parse(map));
  const lines = new Set();
  for (const [number, text] of code.split('\n').entries()) {
    for (const { index } of text.matchAll(/\w+|[^\w\s]/g)) {
      const entry = sourceMap.findEntry(number, index);
      if (entry.generatedLine === number && entry.generatedColumn === index)
        lines.add(entry.originalLine + 1);
    }
  }
  return lines;
}
