import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const levels = ['warn', 'error', 'fatal'];

/** Calls such as `log.warn(…)` and `this.options.log.error(…)` without an argument that holds fields. */
function withoutFields(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      const isLog = /(^|\.)(log|logger)$/.test(receiver.getText());
      // Fields are an object, or in a variable; a message is a text.
      const hasFields = node.arguments.some(
        (argument) =>
          ts.isObjectLiteralExpression(argument) ||
          (ts.isIdentifier(argument) && argument.text !== 'message'),
      );
      if (isLog && levels.includes(name.text) && !hasFields) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${path}:${line + 1}: ${node.getText().slice(0, 80)}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it('warnings and errors in the log have fields beside the sentence', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => path.includes('/src/') && !/\.spec\.ts$|\/testing\//.test(path));
  expect(files.flatMap(withoutFields)).toEqual([]);
});
