import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { Provider } from 'oidc-provider';

/** The API that its access tokens are for, the client of people (command line and page), and the secret of programs. */
export const oidcAudience = 'https://curtail.example.org';
export const oidcClient = 'curtail';
const programSecret = 'a-secret-of-a-program-in-a-test';

export interface IssuerOptions {
  /** The subjects that it knows, with the groups of each. */
  people: Readonly<Record<string, readonly string[]>>;
  /** Where the page of a Curtail is, to which browsers return. */
  redirectUris?: readonly string[];
  accessTokenSeconds?: number;
}

/** A real OIDC issuer on loopback (`oidc-provider`), whose keys a test can read, change and lose. */
export class OidcIssuer {
  private constructor(
    private readonly server: Server,
    private readonly options: IssuerOptions,
    readonly url: string,
    private key: JWK,
  ) {}

  /** Requests that it has answered, by path. */
  readonly asked: string[] = [];
  private handler: RequestListener | undefined;

  static async start(options: IssuerOptions): Promise<OidcIssuer> {
    // It warns of all that makes it one for tests.
    for (const level of ['info', 'warn'] as const) console[level] = () => {};
    const server = createServer((request, response) => issuer.answer(request, response));
    const port = await listen(server, 0);
    const issuer = new OidcIssuer(server, options, `http://127.0.0.1:${port}`, await newKey());
    issuer.provide();
    return issuer;
  }

  private answer: RequestListener = (request, response) => {
    this.asked.push(request.url!.split('?')[0]!);
    void this.handler!(request, response);
  };

  private provide(): void {
    const { people, redirectUris = [], accessTokenSeconds = 600 } = this.options;
    const provider = new Provider(this.url, {
      jwks: { keys: [this.key] },
      clients: [
        {
          client_id: oidcClient,
          token_endpoint_auth_method: 'none',
          grant_types: [
            'authorization_code',
            'refresh_token',
            'urn:ietf:params:oauth:grant-type:device_code',
          ],
          response_types: ['code'],
          redirect_uris: redirectUris.length > 0 ? [...redirectUris] : ['http://127.0.0.1:1/ui/'],
          application_type: 'native',
        },
        ...Object.keys(people).map((person) => ({
          client_id: person,
          client_secret: programSecret,
          grant_types: ['client_credentials'],
          response_types: [],
          redirect_uris: [],
        })),
      ],
      clientBasedCORS: () => true,
      claims: { openid: ['sub'] },
      cookies: { keys: ['a-key-of-cookies-in-a-test'] },
      features: {
        clientCredentials: { enabled: true },
        deviceFlow: { enabled: true },
        devInteractions: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => oidcAudience,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'api',
            audience: oidcAudience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: accessTokenSeconds,
          }),
        },
      },
      findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      extraTokenClaims: (_context: unknown, token: { accountId?: string; clientId?: string }) => ({
        groups: [...(people[token.accountId ?? token.clientId ?? ''] ?? [])],
      }),
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
    });
    this.handler = provider.callback();
  }

  /** An access token that it has issued to a person of `people`. */
  async tokenOf(person: string): Promise<string> {
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${person}:${programSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: oidcAudience }),
    });
    const answer = (await response.json()) as { access_token?: string };
    if (answer.access_token === undefined)
      throw new Error(`no token for ${person}: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  /** A token with its key that it has not issued. `undefined` leaves a claim out. */
  async forged(
    claims: JWTPayload = {},
    { header = {}, key = this.key }: { header?: Record<string, unknown>; key?: JWK } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.url, aud: oidcAudience, sub: 'vera', iat: now, exp: now + 600, ...claims };
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid!, typ: 'at+jwt', ...header })
      .sign(await importJWK(key, 'RS256'));
  }

  /** The public part of its key, as it publishes it. */
  async publicKey(): Promise<JWK> {
    const { keys } = (await (await fetch(`${this.url}/jwks`)).json()) as { keys: JWK[] };
    return keys[0]!;
  }

  /** From now on it signs with another key, and no longer publishes the one before. */
  async rotate(): Promise<void> {
    this.key = await newKey();
    this.provide();
  }

  async goAway(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  async comeBack(): Promise<void> {
    await listen(this.server, Number(new URL(this.url).port));
  }

  async stop(): Promise<void> {
    if (this.server.listening) await this.goAway();
  }

  /** Logs a person in at an address of it, as a browser would, and agrees to whatever it asks. @returns the last address, and its text. */
  async visit(address: string, person: string): Promise<{ url: string; text: string }> {
    const cookies = new Map<string, string>();
    let next: { url: string; body?: URLSearchParams } = { url: address };
    for (let step = 0; step < 20; step++) {
      if (!next.url.startsWith(this.url)) return { url: next.url, text: '' };
      const response = await fetch(next.url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(next.body && { method: 'POST', body: next.body }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        if (value === '') cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      const text = await response.text();
      const location = response.headers.get('location');
      if (location !== null) {
        next = { url: new URL(location, next.url).href };
        continue;
      }
      const form = formIn(text);
      if (form === undefined) return { url: next.url, text };
      if (form.fields.has('login')) form.fields.set('login', person);
      if (form.fields.has('password')) form.fields.set('password', 'any');
      next = { url: new URL(form.action, next.url).href, body: form.fields };
    }
    throw new Error(`${address} asks for ever`);
  }
}

function formIn(html: string): { action: string; fields: URLSearchParams } | undefined {
  const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
  if (form === null) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of form[2]!.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1];
    if (name !== undefined && name !== 'abort') fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { action: form[1]!, fields };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = await exportJWK(privateKey);
  return { ...key, kid: `${await calculateJwkThumbprint(key)}-${randomUUID()}`, alg: 'RS256', use: 'sig' };
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
