import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { allCommands } from '../commands/index.js';
import { buildProgram } from '../program.js';
import { calledAs, runnable, shellWord, withExamples } from './called.js';

const checkout = { cwd: '/srv/curtail', home: '/srv/curtail', isCheckout: true };

describe('how a command was called', () => {
  it.each([
    ['/usr/local/bin/curtail', 'curtail'],
    ['/home/ann/.npm/_npx/e16c4fd3/node_modules/.bin/curtail', 'npx curtail'],
    ['/srv/curtail/bin/curtail.mjs', 'node bin/curtail.mjs'],
    ['/srv/curtail/dist/apps/curtail/src/main.js', 'npx curtail'],
  ])('in a checkout %s is called again by %j', (program, call) => {
    expect(calledAs({ program, ...checkout })).toBe(call);
  });

  it.each([
    ['/usr/bin/curtail', 'curtail'],
    ['/srv/work/node_modules/.bin/curtail', 'npx --no-install curtail'],
    ['/srv/node_modules/.bin/curtail', 'npx --no-install curtail'],
    [
      '/home/ann/.npm/_npx/e16c4fd3/node_modules/.bin/curtail',
      '/home/ann/.npm/_npx/e16c4fd3/node_modules/.bin/curtail',
    ],
    ['/srv/work/node_modules/curtail/bin/curtail.mjs', 'node node_modules/curtail/bin/curtail.mjs'],
    ['/app/dist/apps/curtail/src/main.js', 'curtail'],
  ])('as an installed package %s is called again by %j', (program, call) => {
    const home = '/srv/work/node_modules/curtail';
    expect(calledAs({ program, cwd: '/srv/work', home, isCheckout: false })).toBe(call);
  });

  it('names the program as it is found from the folder that one is in', () => {
    const program = '/srv/my checkout/bin/curtail.mjs';
    expect(calledAs({ program, ...checkout, cwd: '/srv' })).toBe("node 'my checkout/bin/curtail.mjs'");
    // As services are started.
    expect(calledAs({ program, ...checkout, cwd: '/' })).toBe(`node '${program}'`);
  });
});

describe('an example that a hint names', () => {
  const home = process.cwd();
  const hint = 'lower it: curtail apply -f examples/queues-lowered.yaml';

  it.each([
    [home, 'examples/queues-lowered.yaml'],
    [`${home}/docs`, '../examples/queues-lowered.yaml'],
    ['/', `${home}/examples/queues-lowered.yaml`],
    ['/somewhere/else', `${home}/examples/queues-lowered.yaml`],
  ])('is found from %s at %s', (cwd, path) => {
    expect(withExamples(hint, { cwd, home })).toBe(`lower it: curtail apply -f ${path}`);
  });

  it.each(['curtail apply -f my/examples/queues.yaml', 'curtail apply -f examples/of-the-reader.yaml'])(
    'is not taken for a file of the reader: %s',
    (text) => {
      expect(withExamples(text, { cwd: '/somewhere/else', home })).toBe(text);
    },
  );
});

describe('a hint', () => {
  it.each([
    ['see it: curtail get queues, or curtail stop', 'see it: npx curtail get queues, or npx curtail stop'],
    ['`curtail get plans` lists them', '`npx curtail get plans` lists them'],
    ['npx curtail get queues', 'npx curtail get queues'],
    ['npx --no-install curtail get queues', 'npx --no-install curtail get queues'],
    ['curtail goes on; /etc/curtail get it', 'curtail goes on; /etc/curtail get it'],
  ])('%j becomes %j', (hint, shown) => {
    expect(runnable(hint, 'npx curtail', undefined)).toBe(shown);
  });

  it.each([
    ['default', 'curtail resume --queue root.a'],
    ['gpu', 'curtail resume --partition default --queue root.a'],
    [undefined, 'curtail resume --partition default --queue root.a'],
  ])('for the partition default, where commands act on %s', (otherwise, shown) => {
    expect(runnable('curtail resume --partition default --queue root.a', 'curtail', otherwise)).toBe(shown);
  });

  it('to start Curtail does not name the server that did not answer', () => {
    const hint = 'start one with `curtail start`, then call curtail status';
    const call = 'npx curtail --server http://localhost:9';
    expect(runnable(hint, call, undefined, 'npx curtail')).toBe(
      'start one with `npx curtail start`, then call npx curtail --server http://localhost:9 status',
    );
  });

  it('keeps the name of any other partition', () => {
    for (const other of ['default-2', 'default.gpu', 'defaults', 'gpu']) {
      const hint = `curtail resume --partition ${other}, then`;
      expect(runnable(hint, 'curtail', 'default')).toBe(hint);
    }
  });
});

const commands = await allCommands();
describe('every command', () => {
  const stream = new PassThrough();
  it.each(
    buildProgram({ stdin: stream, stdout: stream, stderr: stream, env: {} }, () => {}, commands).commands.map(
      (command) => command.name(),
    ),
  )('is made to work as it stands in a hint: %s', (name) => {
    expect(runnable(`see it: curtail ${name}`, 'npx curtail', 'default')).toBe(`see it: npx curtail ${name}`);
  });
});

describe('a word in a command', () => {
  it.each([
    ['examples/queues.yaml', 'examples/queues.yaml'],
    ["ann's queues.yaml", `'ann'\\''s queues.yaml'`],
    ['$(reboot)', "'$(reboot)'"],
  ])('%s is written %s', (word, written) => {
    expect(shellWord(word)).toBe(written);
  });
});
