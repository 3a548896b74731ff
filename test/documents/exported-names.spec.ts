import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Folders whose files have the same parts, each for its policy or cluster: the same name has the same meaning in all. */
const families: [RegExp, string][] = [
  [
    /^libs\/(planning|enforcement|rounds|contracts)\/src\/(fair-share|intra-queue|quota-decrease)\//,
    'policies',
  ],
  [/^libs\/clusters\/src\/(inventory|simulated)\//, 'clusters'],
  [/^libs\/agents\/src\/(kubernetes|yarn|ytsaurus|yunikorn)\//, 'agents'],
  // Of each action `run`.
  [/^apps\/curtail\/src\/cli\/(commands|actions)\//, 'commands'],
];
/** The page is a program of its own, which imports no source of the others but their types. */
const isPage = (file: string) => file.startsWith('apps/console/web/');

const readersOfValues = 'a reader of a value of that kind, each for its source';
const sameMeaning: Record<string, string> = {
  NamedKind: 'the client has it from the document of the API, which is made from the other one',
  listOf: readersOfValues,
  oneOf: readersOfValues,
  wholeNumber: readersOfValues,
  readTrigger: 'the one of all policies chooses that of the policy',
  shortReason: 'the one of all policies chooses that of the policy',
};

/** Of a file: the exported types, classes and constants in capitals, and the functions. */
const exported =
  /^export (?:(?:abstract |declare )?(?:interface|type|class|enum|const) (?=[A-Z])|(?:async )?function\*? |const (?=\w+ = (?:async )?(?:<[^>]*>)?\())(\w+)/gm;

it('an exported name of a type, a class, a constant or a function stands for one thing', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*.ts', 'apps/*.tsx', 'libs/*.ts'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter(
      (file) => file.includes('/src/') && !/\.spec\.tsx?$|\/testing\/|\/generated\/|\.d\.ts$/.test(file),
    );
  const roomsOf = new Map<string, Map<string, string>>();
  for (const file of files) {
    const family = families.find(([folder]) => folder.test(file));
    const part = family ? `${file.split('/').slice(0, 2).join('/')}: ${family[1]}` : file;
    const room = `${isPage(file) ? 'page' : 'others'}: ${part}`;
    // A function may be declared once for each of its forms.
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(exported)) {
      const rooms = roomsOf.get(name) ?? new Map<string, string>();
      roomsOf.set(name, rooms.set(room, file));
    }
  }
  const among = (rooms: Map<string, string>, world: string) =>
    [...rooms].filter(([room]) => room.startsWith(world)).map(([, file]) => file);
  const twice = [...roomsOf].flatMap(([name, rooms]) =>
    ['page: ', 'others: '].flatMap((world) => {
      const where = among(rooms, world);
      return where.length > 1 ? [[name, where] as const] : [];
    }),
  );
  expect(twice.filter(([name]) => sameMeaning[name] === undefined)).toEqual([]);
  expect(Object.keys(sameMeaning).filter((name) => !twice.some(([other]) => other === name))).toEqual([]);
});
