import { Option } from 'commander';
import { instantArgument, lengths, lowerCase, wholeNumberArgument } from '../input/arguments.js';
import { example, type Register } from './command.js';

const loadTokens = () => import('../actions/tokens.js');

/** `curtail whoami`: who the server takes the caller for. docs/reference/cli.md */
export const whoami: Register = (program, act) => {
  example(
    program
      .command('whoami')
      .summary('show who you are to this server, and what you may do')
      .description('Shows the owner of the token that commands send, and its rights with their places.')
      .action(act(() => import('../actions/whoami.js'))),
    'curtail whoami',
  );
};

const loadLogin = () => import('../actions/login.js');

/** `curtail login`: a person, at the issuer of the server. docs/reference/cli.md */
export const login: Register = (program, act) => {
  example(
    program
      .command('login')
      .summary('log in at the issuer of this server, with a browser')
      .description(
        'Prints an address and a code: open it in a browser, on any machine, and log in. The tokens stay in a file that only you can read, which the context of the server names, and are renewed.',
      )
      .action(act(async () => (await loadLogin()).login)),
    'curtail login',
  );
};

/** `curtail logout`. docs/reference/cli.md */
export const logout: Register = (program, act) => {
  example(
    program
      .command('logout')
      .summary('end the login to this server')
      .description('Revokes the login at the issuer, and removes its tokens from this machine.')
      .action(act(async () => (await loadLogin()).logout)),
    'curtail logout',
  );
};

/** `curtail audit`: who commanded or configured what. docs/reference/cli.md */
export const audit: Register = (program, act) => {
  example(
    program
      .command('audit')
      .summary('list who commanded or configured what, signed')
      .description(
        'Lists commands and configurations of a period, oldest first, each with the owner of its credential. With -o jsonl, one record in each line, ' +
          'and after each 1000 a line with the signature over them; `curtail verify --audit` checks such a file.',
      )
      .addOption(
        new Option('--since <time>', `from this time, or this long ago: ${lengths}`)
          .argParser(instantArgument)
          .default(instantArgument('30d'), '30 days ago'),
      )
      .option('--until <time>', 'until this time, or this long ago; default: now', instantArgument)
      .option('--by <subject>', 'only what this one commanded or sent')
      .option('--partition <name>', 'only this partition; default: all', lowerCase)
      .action(act(() => import('../actions/audit.js'))),
    'curtail audit --since 7d',
    'curtail audit --since 2026-11-01 -o jsonl > audit.jsonl',
  );
};

/** `curtail policy`: files of rights. docs/reference/cli.md */
export const policy: Register = (program, act) => {
  const group = program
    .command('policy')
    .summary('check files of rights')
    .description('Checks policy files (CURTAIL_POLICY_FILE), which grant roles to people and groups.');
  example(
    group
      .command('check')
      .argument('<file>', 'a policy file')
      .summary('check a policy file')
      .description(
        'Checks a policy file, and lists every fault with its line and its field. Needs no server.',
      )
      .action(act(() => import('../actions/policy-check.js'))),
    'curtail policy check policy.yaml',
  );
};

/** `curtail tokens`: named tokens. docs/reference/cli.md */
export const tokens: Register = (program, act) => {
  const group = program
    .command('tokens')
    .summary('make named tokens')
    .description('Makes named tokens for CURTAIL_TOKENS_FILE.');
  example(
    group
      .command('make')
      .argument('<name>', 'whose it is: recorded as the sender')
      .summary('make a named token')
      .description(
        'Makes a token, prints it once, and adds its hash to a file. Without --file, the entry is printed besides. Needs no server.',
      )
      .option('-f, --file <path>', 'the file of named tokens; it is made if there is none')
      .option('--role <role>', 'a role of Curtail that the token has; default: what the policy file grants')
      .option('--partition <name>', 'with --role: only in this partition', lowerCase)
      .option('--queue <path>', 'with --role: only this queue, and everything below it', lowerCase)
      .option('--days <number>', 'how long it works; 0: without an end', wholeNumberArgument(0, 3650), 90)
      .action(act(async () => (await loadTokens()).make)),
    'curtail tokens make ann --role operator --file tokens.yaml',
    'curtail tokens make prometheus --role agent --days 0 --file tokens.yaml',
  );
};
