import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TokenFile } from './token-file.js';

describe('a delegation token in a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-token-'));
    file = join(folder, 'token');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is read again when it is replaced', () => {
    writeFileSync(file, 'KgAHY3VydGFpbA\n');
    const token = new TokenFile(file);
    expect(token.read()).toBe('KgAHY3VydGFpbA');
    writeFileSync(file, 'another\n');
    utimesSync(file, 1, 1);
    expect(token.read()).toBe('another');
  });

  it.each(['', 'two words', 'a\nb'])('is not %j, which no message shows', (text) => {
    writeFileSync(file, text);
    expect(() => new TokenFile(file).read()).toThrow(`${file} holds no token`);
  });

  it('names the file that cannot be read', () => {
    expect(() => new TokenFile(file).read()).toThrow(`${file} cannot be read`);
  });
});
