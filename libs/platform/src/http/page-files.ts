import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type Request, type RequestHandler } from 'express';

/** The address of the page; its views are below it. */
export const pagePath = '/ui/';

/** Files of the page have no data and need no token: the page asks for it, and sends it with its requests. */
export function isPageFile({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && (path === '/' || path === '/ui' || path.startsWith(pagePath))
  );
}

/** In the page as it is built, the place of the nonce that its styles need. */
const nonceMark = '{{nonce}}';

/**
 * Serves the page from a folder: its files, and for any other address below `pagePath`, which is a view, the page itself.
 * Nothing but its own files may run, and nothing is loaded from elsewhere.
 *
 * @param loginOrigin from which the page gets the token of a person who logs in; undefined: none.
 * @param folder has `index.html`, and `assets` with names that change with their content; beside a file may be a compressed one, `.gz`.
 */
export function servePage(
  folder: string,
  loginOrigin: () => string | undefined = () => undefined,
): RequestHandler {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const packed = packedIn(folder);
  const files = express.static(folder, { index: false, redirect: false, setHeaders: keptForever });
  return (request, response, next) => {
    if (!isPageFile(request)) return next();
    if (request.path === '/' || request.path === '/ui') return response.redirect(pagePath);
    const send = () => {
      // A file that is gone is no view: a page of an older version would get HTML for a script.
      if (request.path.startsWith(`${pagePath}assets/`)) return next();
      const nonce = randomBytes(16).toString('base64');
      response.setHeader('Content-Security-Policy', pagePolicy(nonce, loginOrigin()));
      response.setHeader('Cache-Control', 'no-store');
      response.type('html').send(page.replaceAll(nonceMark, nonce));
    };
    const address = request.url;
    const path = request.path.slice(pagePath.length - 1);
    if (packed.has(path)) response.vary('Accept-Encoding');
    if (packed.has(path) && request.acceptsEncodings('gzip')) {
      response.setHeader('Content-Encoding', 'gzip');
      response.type(extname(path));
      request.url = `${path}.gz`;
    } else request.url = address.slice(pagePath.length - 1);
    files(request, response, (error?: unknown) => {
      request.url = address;
      if (error) next(error);
      else send();
    });
  };
}

/** The files that are there compressed too, such as `/assets/main-1.js`. */
function packedIn(folder: string): ReadonlySet<string> {
  const assets = join(folder, 'assets');
  if (!existsSync(assets)) return new Set();
  const names = readdirSync(assets).filter((name) => name.endsWith('.gz'));
  return new Set(names.map((name) => `/assets/${name.slice(0, -'.gz'.length)}`));
}

function keptForever(response: express.Response, path: string): void {
  if (/[\\/]assets[\\/]/.test(path))
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
}

const pagePolicy = (nonce: string, loginOrigin = '') =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${loginOrigin}`.trimEnd(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const probePaths = new Set(['/healthz', '/readyz']);

/** Probes need no credentials and are not limited; the answer is only yes or no, and the servers that are down. */
export function isProbe({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && probePaths.has(path);
}

/** What needs no credential, and shows nothing of the work: the public part of the signing key, and where to log in. */
export const isPublic = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  (method === 'GET' || method === 'HEAD') && (path === '/v1/keys' || path === '/v1/login');

/** The description of the API, with the files of its page. */
export const isDescription = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  (method === 'GET' || method === 'HEAD') && (path === '/docs' || path.startsWith('/docs/'));

/** What is answered without a credential. */
export const needsNoCredential = (request: Pick<Request, 'method' | 'path'>): boolean =>
  isProbe(request) || isPageFile(request) || isPublic(request);
