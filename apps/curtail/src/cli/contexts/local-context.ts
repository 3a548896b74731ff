import { existsSync } from 'node:fs';
import type { Terminal } from '../terminal/terminal.js';
import { changeConfig } from './change-config.js';
import type { ConfigContent, Context } from './config-content.js';

/** The context that a start writes for its address: `127.0.0.1:8080`. */
export const localContextName = (url: string): string => new URL(url).host;

/**
 * Writes the context of a Curtail that this user has started, so that commands find its token in any folder. Contexts of
 * earlier starts of the same data folder at other addresses go, and those whose token is gone.
 *
 * @throws CommandError
 */
export function writeLocalContext(env: Terminal['env'], url: string, tokenFile: string): string {
  const name = localContextName(url);
  return changeConfig(env, (document, file) => {
    for (const old of outdated(file?.content ?? {}, tokenFile)) {
      if (old === name) continue;
      document.deleteIn(['contexts', old]);
      if (file?.content.currentContext === old) document.delete('currentContext');
    }
    const partition = file?.content.contexts?.[name]?.partition;
    document.setIn(
      ['contexts', name],
      document.createNode({ server: url, ...(partition && { partition }), credentials: { tokenFile } }),
    );
  });
}

function outdated({ contexts = {} }: ConfigContent, tokenFile: string): string[] {
  return Object.entries(contexts).flatMap(([name, context]) => {
    const own = localTokenFile(name, context);
    return own !== undefined && (own === tokenFile || !existsSync(own)) ? [name] : [];
  });
}

/** The token file of a context that a start has written. */
function localTokenFile(name: string, { server, credentials }: Context): string | undefined {
  const file = credentials?.tokenFile;
  if (server === undefined || file === undefined || !file.endsWith('/token')) return undefined;
  return URL.canParse(server) && localContextName(server) === name ? file : undefined;
}

const loopbackNames = new Set(['localhost', '[::1]']);

/** An address in one form: names of this machine are one. */
function oneForm(server: string): string {
  if (!URL.canParse(server)) return server;
  const url = new URL(server);
  if (loopbackNames.has(url.hostname)) url.hostname = '127.0.0.1';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The context with credentials for a server, whichever is the current one. */
export function contextOfServer(
  { contexts = {} }: ConfigContent,
  server: string,
): { name: string; context: Context } | undefined {
  const wanted = oneForm(server);
  for (const [name, context] of Object.entries(contexts)) {
    if (context.credentials === undefined || context.server === undefined) continue;
    const isGone = context.credentials.tokenFile !== undefined && localTokenFile(name, context) !== undefined;
    if (isGone && !existsSync(context.credentials.tokenFile!)) continue;
    if (oneForm(context.server) === wanted) return { name, context };
  }
  return undefined;
}
