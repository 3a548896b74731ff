import { rmSync } from 'node:fs';
import { changeConfig } from '../contexts/change-config.js';
import { configPath } from '../contexts/config-content.js';
import { readConfigFile } from '../contexts/config-file.js';
import { contextOfServer, localContextName } from '../contexts/local-context.js';
import { issuerOf, loginFrom, loginPath, readLogin, resourceOf, writeLogin } from '../contexts/login.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { printLine } from '../output/print.js';
import { Client } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';

/** Device Authorization Grant (RFC 8628): the person logs in with a browser, on any machine. */
export const login: Action = {
  run: async (invocation: Invocation) => {
    const { terminal, server } = invocation;
    const where = await new Client(server).get('/v1/login');
    if (where.issuer === null || where.clientId === null || where.audience === null)
      throw new CommandError(`${server} has no login: its CURTAIL_OIDC_CLIENT_ID is not set`, {
        next: 'give a token with --token, CURTAIL_TOKEN or a context (curtail config set-context --help)',
      });
    const about = { issuer: where.issuer, clientId: where.clientId, audience: where.audience };
    const issuer = await issuerOf(about.issuer, about.clientId);
    const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await import('openid-client');
    const asked = { scope: where.scopes ?? 'openid', ...resourceOf(about.audience) };
    const tokens = await (async () => {
      const begun = await initiateDeviceAuthorization(issuer, asked);
      terminal.stderr.write(
        `Open ${begun.verification_uri_complete ?? begun.verification_uri} and confirm the code ${begun.user_code}\n`,
      );
      return pollDeviceAuthorizationGrant(issuer, begun, resourceOf(about.audience), {
        ...(terminal.untilInterrupted && { signal: terminal.untilInterrupted() }),
      });
    })().catch((error: Error) => {
      throw new CommandError(`the issuer ${about.issuer} refused the login: ${error.message}`);
    });
    const stored = loginFrom(tokens, about);
    const { actor } = await new Client(server, stored.token).get('/v1/whoami');
    keep(invocation, stored);
    await printLine(
      invocation,
      { actor },
      `logged in to ${server} as ${actor?.subject}`,
      `subject/${actor?.subject}`,
    );
  },
};

/** Keeps a login in the context of the server, which is made if there is none. */
function keep(invocation: Invocation, login: Parameters<typeof writeLogin>[1]): void {
  const { server, terminal } = invocation;
  const file = configPath(terminal.env);
  const name = contextNameOf(invocation) ?? (server.startsWith('unix:') ? server : localContextName(server));
  if (file === undefined)
    throw new CommandError('there is no home folder for the login: set CURTAIL_CONFIG to a path in one');
  const path = loginPath(file, name);
  writeLogin(path, login);
  changeConfig(terminal.env, (document, known) => {
    if (document.getIn(['contexts', name]) === undefined)
      document.setIn(['contexts', name], document.createNode({ server }));
    document.setIn(['contexts', name, 'credentials'], document.createNode({ login: path }));
    if (known?.content.currentContext === undefined) document.set('currentContext', name);
  });
}

/** The context in use, if it is of the server, else any other of it. */
function contextNameOf({ terminal, connection, server }: Invocation): string | undefined {
  const content = readConfigFile(terminal.env)?.content ?? {};
  const chosen = connection.context.value;
  if (chosen !== null && content.contexts?.[chosen]?.server === server) return chosen;
  return contextOfServer(content, server)?.name;
}

export const logout: Action = {
  run: async (invocation: Invocation) => {
    const { terminal, server } = invocation;
    const name = contextNameOf(invocation);
    const path =
      name === undefined
        ? undefined
        : readConfigFile(terminal.env)?.content.contexts?.[name]?.credentials?.login;
    if (name === undefined || path === undefined)
      throw new CommandError(`no context has a login to ${server}`, {
        next: 'see them: curtail config get-contexts',
      });
    const isRevoked = await revoked(path);
    rmSync(path, { force: true });
    changeConfig(terminal.env, (document) => {
      document.deleteIn(['contexts', name, 'credentials']);
    });
    await printLine(
      invocation,
      { context: name, revoked: isRevoked },
      `logged out of ${server}`,
      `context/${name}`,
    );
    if (!isRevoked)
      invocation.report(
        'warning: the issuer did not revoke the login; what was copied of it works until it expires',
      );
  },
};

/** Ends the login at the issuer (RFC 7009). @returns whether it did: an issuer may be away, or revoke nothing. */
async function revoked(path: string): Promise<boolean> {
  try {
    const { issuer, clientId, refreshToken } = readLogin(path);
    if (refreshToken === undefined) return false;
    const { tokenRevocation } = await import('openid-client');
    await tokenRevocation(await issuerOf(issuer, clientId), refreshToken);
    return true;
  } catch {
    return false;
  }
}
