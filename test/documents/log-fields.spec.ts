import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const levels = ['debug', 'info', 'log', 'warn', 'error', 'fatal'];

/** The calls and constructions that write to the log, of all sources. */
const writing = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => path.includes('/src/') && !/\.spec\.ts$|\/testing\//.test(path))
  .flatMap(writingIn);

/** Calls such as `log.warn(…)` and `this.options.log.error(…)`, and warnings that are logged at intervals. Only files with such words are parsed, which takes long. */
function writingIn(path: string) {
  const text = readFileSync(path, 'utf8');
  if (!/\blog(ger)?\b|\bRepeatedWarning\b/.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: { where: string; level: string; given: readonly ts.Expression[] }[] = [];
  const visit = (node: ts.Node): void => {
    const level = levelOf(node);
    if (level !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const where = `${path}:${line + 1}: ${node.getText().slice(0, 80)}`;
      found.push({ where, level, given: (node as ts.CallExpression).arguments });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function levelOf(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node))
    return node.expression.getText() === 'RepeatedWarning' ? 'at intervals' : undefined;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: receiver, name } = node.expression;
  const isLog = /(^|\.)(log|logger)$/.test(receiver.getText());
  return isLog && levels.includes(name.text) ? name.text : undefined;
}

/** The literal text of a message; `${…}` stands for what is filled in. Undefined if it has none. */
function literal(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.getText().slice(1, -1);
  if (!ts.isBinaryExpression(node)) return undefined;
  return `${literal(node.left) ?? '$'}${literal(node.right) ?? '}'}`;
}

it('warnings and errors in the log have fields beside the sentence', () => {
  // Fields are an object, or in a variable; a message is a text.
  const isFields = (one: ts.Expression) =>
    ts.isObjectLiteralExpression(one) || (ts.isIdentifier(one) && one.text !== 'message');
  const without = writing.filter(
    ({ level, given }) => ['warn', 'error', 'fatal'].includes(level) && !given.some(isFields),
  );
  expect(without.map(({ where }) => where)).toEqual([]);
});

it('a message in the log is a sentence: it begins with a capital and ends with a full stop', () => {
  const messages = writing.flatMap(({ where, given }) =>
    given.flatMap((one) => literal(one) ?? []).map((text) => ({ where, text })),
  );
  const isSentence = (text: string) => /^([A-Z]|\$)/.test(text) && /[.}]$/.test(text);
  expect(messages.length).toBeGreaterThan(60);
  expect(messages.filter(({ text }) => !isSentence(text)).map(({ where }) => where)).toEqual([]);
});
