import { lowerCase } from '../input/arguments.js';
import { example, type Register } from './command.js';

const load = () => import('../actions/config.js');

/** `curtail config`: contexts, each a server with its partition and credentials. docs/reference/cli.md, "curtail config" */
export const config: Register = (program, act) => {
  const config = program
    .command('config')
    .summary('name servers as contexts, and choose one')
    .description(
      'Manages the contexts of this program, in ~/.config/curtail/config.yaml (CURTAIL_CONFIG): servers, each with a partition and the source of its token.',
    );
  config
    .command('view', { isDefault: true })
    .summary('show the server, partition and token in use, and what set them')
    .description(
      'Shows each setting of a connection, with the option, variable or context that it comes from.',
    )
    .action(act(async () => (await load()).view));
  config
    .command('get-contexts')
    .summary('list the contexts')
    .description('Lists the contexts of the file; no token is read or shown.')
    .action(act(async () => (await load()).getContexts));
  config
    .command('token')
    .summary('print the token in use, for another program')
    .description(
      'Prints the token that commands send: curl -H "Authorization: Bearer $(curtail config token)" …',
    )
    .action(act(async () => (await load()).token));
  config
    .command('current-context')
    .summary('show the name of the current context')
    .description('Shows the name of the context that commands use; exit status 2 if there is none.')
    .action(act(async () => (await load()).currentContext));
  example(
    config
      .command('use-context')
      .argument('<name>', 'a context of the file')
      .summary('use a context from now on')
      .description('Makes a context the current one.')
      .action(act(async () => (await load()).useContext)),
    'curtail config use-context lab',
  );
  example(
    config
      .command('set-context')
      .argument('<name>', 'a new or known context')
      .argument('[command...]', 'after --: a command that prints the token')
      .summary('add a context, or change one')
      .description(
        'Adds a context, or changes what is given: --server, --partition, the source of the token, and a certificate (--client-cert, --client-key). The first one becomes the current one.',
      )
      .option('--partition <name>', 'its partition', lowerCase)
      .option('--token-file <path>', 'a file with its token, which only its owner can read')
      .action(act(async () => (await load()).setContext)),
    'curtail config set-context lab --server http://127.0.0.1:9000',
    'curtail config set-context prod --server https://curtail.example.org --token-file prod.token',
    'curtail config set-context prod --client-cert ann.pem --client-key ann.key',
    'curtail config set-context prod -- vault read -field=token secret/curtail',
  );
  example(
    config
      .command('delete-context')
      .argument('<name>', 'a context of the file')
      .summary('remove a context')
      .description('Removes a context from the file; files with tokens stay.')
      .action(act(async () => (await load()).deleteContext)),
    'curtail config delete-context lab',
  );
};
