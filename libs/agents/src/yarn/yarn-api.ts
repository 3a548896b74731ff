import { urlToHttpOptions } from 'node:url';
import { InputError } from '#contracts';
import { HttpExchange, httpAddress, isOfCertificate, type RequestTarget } from '../http-exchange.js';
import { YarnError } from './yarn-error.js';

export interface YarnApiOptions {
  /** The addresses of all managers of the cluster, with commas in between: `http://rm1:8088,http://rm2:8088`. */
  url: string;
  /** The name that requests are made under; absent: none, and YARN takes that of its static user. */
  user?: string | undefined;
  /** Returns the delegation token that is sent instead of the name; absent: there is none. */
  token?: (() => string) | undefined;
  /** The certificates of a private authority, in PEM. */
  ca?: string | undefined;
  /** What the caller of a command gives the addresses with, for messages; default: the setting. */
  urlOption?: string | undefined;
  /** Called right before each request is sent; a throw prevents it. */
  guard?: ((method: string, path: string) => void) | undefined;
  /** Milliseconds for one answer, from the request to its last byte. */
  answerMs?: number;
  /** Bytes of one answer. */
  largestAnswer?: number;
  /** Requests at the same time. */
  atOnce?: number;
}

export interface YarnAnswer {
  status: number;
  /** Parsed JSON; undefined for an empty answer. */
  body: unknown;
}

interface Plain {
  status: number;
  type: string;
  location: string | undefined;
  /** The Date header. */
  date: string | undefined;
  text: string;
}

const api = '/ws/v1/cluster';
const usual = { answerMs: 10_000, largestAnswer: 256 * 1024 * 1024, atOnce: 8 };
const tokenHeader = 'Hadoop-YARN-RM-Delegation-Token';
const shownCharacters = 200;

/**
 * HTTP to the REST API of one YARN. Of several managers the active one answers: the others redirect to it, or answer that there is none.
 * An answer that is late, broken off, too large, or no JSON is an error, and never an empty list.
 */
export class YarnApi {
  /** The managers, without a slash at the end. */
  readonly urls: readonly string[];
  private active = 0;
  /** The same, as requests take them. */
  private readonly servers: readonly RequestTarget[];
  private readonly exchange: HttpExchange;

  /** @throws InputError unless each address is one of HTTP. */
  constructor(private readonly options: YarnApiOptions) {
    this.urls = options.url.split(',').map((address) => addressOf(address.trim()));
    this.servers = this.urls.map((url) => urlToHttpOptions(new URL(url)));
    const schemes = new Set(this.servers.map(({ protocol }) => protocol));
    if (schemes.size > 1) throw new InputError('url', 'write all addresses with http, or all with https');
    const { answerMs = usual.answerMs, largestAnswer = usual.largestAnswer, atOnce = usual.atOnce } = options;
    this.exchange = new HttpExchange({
      ...{ answerMs, largestAnswer, atOnce },
      secure: schemes.has('https:'),
      ca: options.ca,
      failure: (code, message) => new YarnError(code, message),
    });
  }

  private get urlOption(): string {
    return this.options.urlOption ?? '--yarn-url (CURTAIL_YARN_URL)';
  }

  /** The address of the manager that answered last. */
  get url(): string {
    return this.urls[this.active] ?? '';
  }

  close(): void {
    this.exchange.close();
  }

  /** @throws YarnError unless the answer is 200 and JSON. */
  async get(path: string): Promise<unknown> {
    const { status, body } = await this.call('GET', path);
    if (status === 200) return body;
    throw this.refusal('GET', path, status, body);
  }

  /**
   * One request and its answer of any status. It is sent to another manager only if the first one has certainly not carried it out.
   *
   * @throws YarnError if there is no answer of a ResourceManager. With the code `no-answer` it may have been carried out all the same.
   */
  async call(method: string, path: string, body?: unknown): Promise<YarnAnswer> {
    const { text, status } = await this.plain(method, api + path, body);
    return { status, body: this.bodyOf(method, path, status, text) };
  }

  /** A question, and its answer as text; `body` parses it. @throws YarnError like `call`, and `body` for what is no JSON. */
  async read(path: string): Promise<{ status: number; text: string; body: () => unknown }> {
    const { text, status } = await this.plain('GET', api + path);
    return { status, text, body: () => this.bodyOf('GET', path, status, text) };
  }

  private bodyOf(method: string, path: string, status: number, text: string): unknown {
    if (text === '' || text.trim() === '') return undefined;
    try {
      return JSON.parse(withEntriesInLists(text));
    } catch {
      // Some refusals are plain text; a success is not, except for that of a change.
      if (status >= 400 || method !== 'GET') return text;
      throw new YarnError(
        'no-json',
        `${this.url}${api}${path} answers 200, but with something that is no JSON: ${shown(text)}. Check that ${this.urlOption} is the ResourceManager's own address, with nothing in between that answers in its place.`,
        status,
      );
    }
  }

  /** A property of the manager's own configuration; undefined if it has none of that name. @throws YarnError */
  async property(name: string): Promise<string | undefined> {
    const path = `/conf?name=${encodeURIComponent(name)}`;
    const { status, text } = await this.plain('GET', path);
    if (status === 404) return undefined;
    if (status !== 200) throw this.refusal('GET', path, status, text);
    const { property } = parsed(text) as { property?: { value?: unknown } };
    return typeof property?.value === 'string' ? property.value : undefined;
  }

  /** When the manager answers, by its own clock, as in a `Date` header; undefined if it sends none. @throws YarnError */
  async date(): Promise<string | undefined> {
    return (await this.plain('GET', `${api}/info`)).date;
  }

  /** What a refused request says, with the remedy. */
  refusal(method: string, path: string, status: number, body: unknown): YarnError {
    const as =
      this.options.token !== undefined
        ? 'the delegation token'
        : this.options.user === undefined
          ? 'a caller without a name'
          : `the user ${this.options.user}`;
    const said = messageOf(body);
    const where = `${method} ${this.url}${path.startsWith('/conf') ? '' : api}${path}`;
    if (status === 401) {
      return new YarnError(
        'not-authenticated',
        `${where} answers 401: YARN wants its callers authenticated. Curtail knows simple authentication (CURTAIL_YARN_USER) and delegation tokens (CURTAIL_YARN_TOKEN_FILE), which expire, not Kerberos.`,
        status,
      );
    }
    if (status === 403) {
      return new YarnError(
        'forbidden',
        `${where} answers 403 to ${as}: ${shown(said)}. Name this user in yarn.admin.acl${isPage(body) ? `, or, if a proxy has answered, give the ResourceManager's own address as ${this.urlOption}` : ''}.`,
        status,
      );
    }
    return new YarnError('refused', `${where} answers ${status}: ${shown(said)}`, status);
  }

  private plain(method: string, path: string, body?: unknown): Promise<Plain> {
    return this.exchange.inTurn(() => this.fromTheActive(method, path, body));
  }

  private async fromTheActive(method: string, path: string, body: unknown): Promise<Plain> {
    const failures: string[] = [];
    let at = this.active;
    for (let tried = 0; tried < this.urls.length + 1; tried++) {
      const url = this.urls[at] ?? '';
      try {
        const answer = await this.send(url, method, path, body);
        const next = this.nextAfter(url, path, answer);
        if (next === undefined) {
          this.active = at;
          return answer;
        }
        failures.push(`${url} is on standby`);
        at = next;
      } catch (error) {
        const isUnsent = error instanceof YarnError && error.code === 'unreachable';
        if (!isUnsent && !(error instanceof YarnError && error.code === 'no-active')) throw error;
        failures.push(error.message);
        at = (at + 1) % this.urls.length;
      }
      if (this.urls.length === 1) break;
    }
    throw new YarnError(
      'unreachable',
      `No active ResourceManager answers: ${failures.join('; ')}. Check ${this.urlOption}, and that the manager runs${failures.some(isOfCertificate) ? '; name the authority of its certificate by CURTAIL_YARN_CA' : ''}.`,
    );
  }

  /** The manager to ask instead; undefined if this one has answered. @throws YarnError for what is no answer of a manager. */
  private nextAfter(url: string, path: string, { status, location, text, type }: Plain): number | undefined {
    if (status >= 300 && status < 400) {
      const to = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined;
      const known = this.urls.findIndex((one) => new URL(one).origin === to?.origin);
      if (to !== undefined && samePath(to.pathname, url, path)) {
        if (known >= 0 && this.urls[known] !== url) return known;
        throw new YarnError(
          'redirected',
          `${url} is a manager on standby and names ${to.origin} as the active one: add that address to ${this.urlOption}, after a comma.`,
          status,
        );
      }
      throw new YarnError(
        'redirected',
        `${url}${path} redirects to ${to?.href ?? 'nowhere'}, as login pages of proxies do. Give the ResourceManager's own address as ${this.urlOption}.`,
        status,
      );
    }
    if (/There is no active ResourceManager|is standby RM/i.test(text.slice(0, 1000))) {
      throw new YarnError('no-active', `${url} is a manager on standby, and knows no active one`, status);
    }
    if (/html/i.test(type) && status !== 401 && status !== 403) {
      throw new YarnError(
        'no-json',
        `${url}${path} answers ${status} with a page of HTML: ${shown(titleOf(text))}. Check that ${this.urlOption} is the ResourceManager's own address, such as http://rm.example:8088, with no proxy in between.`,
        status,
      );
    }
    return undefined;
  }

  private async send(url: string, method: string, path: string, body: unknown): Promise<Plain> {
    const { user, guard } = this.options;
    const token = this.options.token?.();
    guard?.(method, path);
    const target = this.servers[this.urls.indexOf(url)]!;
    const base = target.path === '/' ? '' : target.path;
    const name =
      token === undefined && user !== undefined
        ? `${path.includes('?') ? '&' : '?'}user.name=${encodeURIComponent(user)}`
        : '';
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const { status, headers, text } = await this.exchange.send(target, `${url}${path}`, {
      method,
      path: `${base}${path}${name}`,
      headers: {
        accept: 'application/json',
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { [tokenHeader]: token }),
      },
      payload,
    });
    return {
      status,
      type: headers['content-type'] ?? '',
      location: headers.location,
      // A manager sends this header twice.
      date: /^\w{3}, [^,]* GMT/.exec(headers.date ?? '')?.[0],
      text,
    };
  }
}

function addressOf(address: string): string {
  const remedy = 'write an address such as http://rm.example:8088, or several with commas in between';
  return httpAddress(address, remedy).replace(/\/ws\/v1\/cluster$/, '');
}

const samePath = (to: string, url: string, path: string): boolean => to === new URL(url + path).pathname;

/** The message of `{"RemoteException": …}`, or the text. */
function messageOf(body: unknown): string {
  const { message: said } =
    (body as { RemoteException?: { message?: unknown } } | undefined)?.RemoteException ?? {};
  if (typeof said === 'string') return said;
  return typeof body === 'string' ? titleOf(body) : 'no reason given';
}

const isPage = (body: unknown): boolean => typeof body === 'string' && /^\s*</.test(body);

const titleOf = (text: string): string => /<title>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() || text.trim();

const shown = (text: string): string =>
  JSON.stringify(text.replaceAll(/\s+/g, ' ').slice(0, shownCharacters));

const entry = String.raw`"entry"\s*:\s*\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}`;
const repeatedEntries = new RegExp(String.raw`${entry}(?:\s*,\s*${entry})+`, 'g');

/**
 * YARN writes a map as an object in which the key `entry` is repeated, `{"entry":{…},"entry":{…}}`, of which JSON.parse keeps only the last
 * one: amounts of other resources would be lost. A text has no such key, since its quotes are escaped there.
 */
function withEntriesInLists(text: string): string {
  return text.replace(repeatedEntries, (all) => `"entry":[${all.replaceAll(/"entry"\s*:\s*(?=\{)/g, '')}]`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
