import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

/** Where a sentence is read by a program after all: those of others, who say it in no other way. */
const allowed = [
  // V8: a recursion without end; where a JSON text is wrong.
  /^apps\/curtail\/src\/cli\/terminal\/errors\.ts:.*'call stack'/,
  /^libs\/platform\/src\/http\/parse-json\.ts:/,
  /^apps\/curtail\/src\/cli\/input\/json\.ts:.*in JSON at/,
  // The API server of Kubernetes.
  /^libs\/agents\/src\/kubernetes\/evictor\.ts:.*'more than one PodDisruptionBudget'/,
  /^libs\/agents\/src\/kubernetes\/reflector\.ts:.*too large resource version/,
  // YTsaurus: a repetition that was not marked has a code that many errors have. OpenSSL: its code stands in the message of a failed exchange.
  /^libs\/agents\/src\/ytsaurus\/yt-error\.ts:.*'Duplicate request is not marked as'/,
  /^libs\/agents\/src\/http-exchange\.ts:.*SELF_SIGNED/,
  /^apps\/curtail\/src\/cli\/server\/client\.ts:.*speaksNoTls/,
  // The parsers of XML and YAML, and OpenSSL.
  /^libs\/configuration\/src\/capacity-scheduler\/hadoop-xml\.ts:/,
  /^libs\/platform\/src\/problems\/problem-of\.ts:.*at line/,
  /^libs\/runtime\/src\/settings\/own-certificate\.ts:/,
  // Nest: a route that there is not.
  /^libs\/platform\/src\/problems\/problem-of\.ts:.*'Cannot '/,
  // kafkajs.
  /^libs\/messaging\/src\/kafka\/(open-kafka\.ts:.*ofNoConcern|kafka-trouble\.ts:)/,
  // PostgreSQL: definitions of indexes.
  /^apps\/console\/src\/replay\/projections\/next-tables\.ts:/,
  // pg and TypeORM.
  /^libs\/platform\/src\/postgres\/database-errors\.ts:/,
  // Writes the times of a sentence in local time, for people.
  /^apps\/curtail\/src\/cli\/output\/time\.ts:/,
];

const sentence = `[mM]essage(Of)?|[dD]etail|[sS]entence|[rR]eason`;
const column = 'reason|message|detail|sentence';
const parsed = [
  String.raw`\b\w*(${sentence})(\([^()]*\))?(\?)?\.(startsWith|endsWith|includes|indexOf|replace|replaceAll|split|match|matchAll|search)\(`,
  String.raw`\.(test|exec|startsWith|includes)\([^)]*(${sentence})\b`,
  // Words of a sentence, under whatever name that has.
  String.raw`\.(split|indexOf|startsWith|endsWith|includes|replace|replaceAll|match|matchAll|search)\(['"/][^'"/]*[A-Za-z]{2}( |\\s)`,
  String.raw`\.(message|detail|sentence) [!=]== ['"a-z]`,
  // In SQL.
  String.raw`\b(substring|substr|regexp_\w+|position|strpos|split_part|starts_with)\([^)]*\b(${column})\b`,
  String.raw`\b(${column})\b['")]* +(!?~{1,2}\*?|(NOT +)?(I?LIKE|SIMILAR))( |$)`,
].join('|');

it('no sentence is parsed: programs read codes and what they are about', async () => {
  const { stdout } = await promisify(execFile)('git', [
    'grep',
    '-nE',
    parsed,
    '--',
    'apps/*.ts',
    'libs/*.ts',
    'scripts/*.ts',
  ]);
  const found = stdout
    .split('\n')
    .filter((line) => line !== '' && !/^[^:]*(\.spec\.ts|\/testing\/[^:]*|\/test\/[^:]*):/.test(line));
  expect(found.filter((line) => !allowed.some((place) => place.test(line)))).toEqual([]);
  expect(allowed.filter((place) => !found.some((line) => place.test(line)))).toEqual([]);
});
