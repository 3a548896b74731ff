import { resolve } from 'node:path';
import type { Document } from 'yaml';
import { changeConfig } from '../contexts/change-config.js';
import type { Context } from '../contexts/config-content.js';
import { type ConfigFile, contextNamed, readConfigFile } from '../contexts/config-file.js';
import type { Connection } from '../contexts/connection.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { print, printLine } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { serverAddress } from '../server/address.js';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';

export const view: Action = {
  run: async (invocation: Invocation) => {
    const { file, context, server, partition, token, certificate } = invocation.connection;
    const isSet = token.from !== 'default';
    const shown = { value: isSet ? 'set, not shown' : null, from: token.from };
    await print(invocation, {
      value: {
        file: file ?? null,
        context,
        server,
        partition,
        token: shown,
        ...shownCertificate(certificate),
      },
      table: () => [
        ...(file === undefined ? [] : [`file ${printable(file)}`]),
        ...viewLines(
          { context, server, partition, token: shown, ...shownCertificate(certificate) },
          invocation,
        ),
      ],
      names: () => (context.value === null ? [] : [`context/${context.value}`]),
    });
  },
};

const shownCertificate = (certificate: Connection['certificate']): Record<string, Connection['context']> =>
  certificate === undefined ? {} : { certificate: { value: certificate.file, from: certificate.from } };

function viewLines(settings: Record<string, Connection['context']>, { width, style }: Invocation): string[] {
  const rows = Object.entries(settings).map(([name, { value, from }]) => [
    name,
    printable(value ?? '-'),
    printable(from),
  ]);
  return tableLines([{ title: 'SETTING' }, { title: 'VALUE' }, { title: 'FROM' }], rows, { width, style });
}

export const token: Action = {
  run: async (invocation: Invocation) => {
    const { fresh, value: kept } = invocation.connection.token;
    const value = fresh ? await fresh() : kept();
    if (value === undefined)
      throw new CommandError(`no token is set for ${invocation.server}`, {
        next: 'give one with --token, CURTAIL_TOKEN or a context (curtail config set-context --help)',
      });
    // For other programs, whatever the format: curl -H "Authorization: Bearer $(curtail config token)"
    invocation.terminal.stdout.write(`${value}\n`);
  },
};

export const getContexts: Action = {
  run: async (invocation: Invocation) => {
    const { contexts = {}, currentContext } = fileOf(invocation)?.content ?? {};
    const all = Object.entries(contexts).map(([name, context]) => ({
      name,
      current: name === currentContext,
      server: context.server ?? null,
      partition: context.partition ?? null,
      credentials: sourceOf(context),
    }));
    const columns = ['CURRENT', 'NAME', 'SERVER', 'PARTITION', 'CREDENTIALS'].map((title) => ({ title }));
    await print(invocation, {
      value: { items: all },
      table: () =>
        all.length === 0
          ? ['no contexts']
          : tableLines(
              columns,
              all.map(({ name, current, server, partition, credentials }) =>
                [current ? '*' : '', name, server ?? '-', partition ?? '-', credentials ?? '-'].map(
                  printable,
                ),
              ),
              invocation,
            ),
      names: () => all.map(({ name }) => `context/${name}`),
    });
    if (all.length === 0) invocation.report('next: add one: curtail config set-context NAME --server URL');
  },
};

/** The reference to the credentials; the words of a command after its name may have secrets. */
function sourceOf({ credentials, clientCert }: Context): string | null {
  if (credentials === undefined) return clientCert === undefined ? null : `certificate ${clientCert}`;
  const { tokenFile, exec, login } = credentials;
  if (login !== undefined) return `login ${login}`;
  return tokenFile === undefined ? `command ${exec![0]}` : `file ${tokenFile}`;
}

export const currentContext: Action = {
  run: async (invocation: Invocation) => {
    const name = invocation.connection.context.value;
    if (name === null)
      throw new CommandError('no context is chosen', { next: 'choose one: curtail config use-context NAME' });
    await printLine(invocation, { name }, printable(name), `context/${name}`);
  },
};

export const useContext: Action = {
  run: async (invocation: Invocation, name: string) => {
    const file = fileOf(invocation);
    contextNamed(file, name);
    return change(invocation, `the current context is ${name}`, (document) =>
      document.set('currentContext', name),
    );
  },
};

interface SetOptions {
  partition?: string;
  tokenFile?: string;
}

export const setContext: Action = {
  run: async (
    invocation: Invocation,
    name: string,
    command: string[],
    { partition, tokenFile }: SetOptions,
  ) => {
    const { server, token, clientCert, clientKey } = invocation.options;
    if ((clientCert === undefined) !== (clientKey === undefined))
      throw new CommandError('a certificate needs its key: give both --client-cert and --client-key');
    if (token !== undefined)
      throw new CommandError(
        'a context keeps no token: name a file with it (--token-file), or a command (-- COMMAND)',
      );
    if (tokenFile !== undefined && command.length > 0)
      throw new CommandError('give either --token-file or a command, not both');
    const credentials =
      tokenFile !== undefined
        ? { tokenFile: kept(tokenFile) }
        : command.length > 0
          ? { exec: command }
          : undefined;
    const given: Context = {
      ...(server !== undefined && { server: serverAddress(server) }),
      ...(partition !== undefined && { partition }),
      ...(credentials && { credentials }),
      ...(clientCert !== undefined && { clientCert: kept(clientCert), clientKey: kept(clientKey!) }),
    };
    const file = fileOf(invocation);
    const isFirst = Object.keys(file?.content.contexts ?? {}).length === 0;
    const known = file?.content.contexts?.[name];
    return change(
      invocation,
      `context ${name} is ${known ? 'changed' : 'added'}${isFirst ? ', and is the current one' : ''}`,
      (document) => {
        if (!known) document.setIn(['contexts', name], document.createNode({}));
        for (const [key, value] of Object.entries(given))
          document.setIn(['contexts', name, key], document.createNode(value));
        if (isFirst) document.set('currentContext', name);
      },
    );
  },
};

/** A path as the file keeps it, whichever folder a command is called in. */
const kept = (path: string): string => (path.startsWith('~') ? path : resolve(path));

export const deleteContext: Action = {
  run: async (invocation: Invocation, name: string) => {
    const file = fileOf(invocation);
    contextNamed(file, name);
    const wasCurrent = file?.content.currentContext === name;
    return change(
      invocation,
      `context ${name} is removed${wasCurrent ? '; no context is the current one' : ''}`,
      (document) => {
        document.deleteIn(['contexts', name]);
        if (wasCurrent) document.delete('currentContext');
      },
    );
  },
};

const fileOf = ({ terminal }: Invocation): ConfigFile | undefined => readConfigFile(terminal.env);

async function change(
  invocation: Invocation,
  done: string,
  edit: (document: Document) => void,
): Promise<undefined> {
  const file = changeConfig(invocation.terminal.env, edit);
  await printLine(invocation, { file, done }, done);
}
