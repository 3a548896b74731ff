import { describe, expect, it } from '@jest/globals';
import { faultsOf } from './command-faults.js';
import { commandsOf, guides } from './guide-commands.js';
import { whyNotRun } from './not-run.js';
import { preparations } from './preparations.js';

const commands = guides().flatMap((page) => commandsOf(page));
const whole = (text: string, place: 'block' | 'sentence' = 'block') =>
  faultsOf({ page: 'page.md', line: 1, text, place, expected: '', interrupted: false });

describe('the commands of the guides', () => {
  it('can be typed: their programs, options, files, values and settings exist', () => {
    expect(commands.length).toBeGreaterThan(300);
    const wrong = commands.flatMap((command) =>
      faultsOf(command).map((fault) => `${command.page}:${command.line} ${command.text}: ${fault}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are mostly run by suites; the others have a reason', () => {
    const blocks = commands.filter(({ place }) => place !== 'sentence');
    const run = blocks.filter((command) => /^run by |^$/.test(whyNotRun(command) ?? ''));
    expect(run.length / blocks.length).toBeGreaterThan(0.6);
  });

  it('are prepared on pages that are there', () => {
    expect(Object.keys(preparations).filter((page) => !guides().includes(page))).toEqual([]);
  });
});

describe('a command that cannot work', () => {
  it.each([
    ['npx curtail get queues --colour', /unknown option '--colour'/],
    ['curtail gett queues', /unknown command/],
    ['curtail start --mode evict', /evict.*(Allowed choices|invalid)/i],
    ['curtail republish --dry-run', /required option/],
    ['curtail apply -f examples/none.yaml', /examples\/none.yaml does not exist/],
    ['npm run demo', /no script demo/],
    ['npm start --port 1', /write -- before it/],
    ['npm run start:distributed -- --planner 3', /planner/],
    ['CURTAIL_MODE=evict npm start', /CURTAIL_MODE does not accept evict/],
    ['CURTAIL_MOOD=observe npm start', /CURTAIL_MOOD is no setting/],
    [
      'helm install curtail deploy/helm/curtail --set agents.enabled=true',
      /values.yaml has no agents.enabled/,
    ],
    ['helm install curtail deploy/helm/curtail --set settings.CURTAIL_MOOD=1', /CURTAIL_MOOD is no setting/],
    ['docker compose up --scale planners=3', /no service planners/],
    ['kubectl annotate namespace a curtail.io/quota-delay=10m', /curtail.io\/quota-delay/],
    ['node dist/apps/times/src/main.js', /does not exist/],
    ['frobnicate the queues', /no program/],
  ])('is found: %s', (text, fault) => {
    expect(whole(text).join('\n')).toMatch(fault);
  });

  it('is one in a sentence only if what it has is wrong', () => {
    expect(whole('curtail explain queue', 'sentence')).toEqual([]);
    expect(whole('curtail apply --dry-rum', 'sentence')).not.toEqual([]);
  });
});
