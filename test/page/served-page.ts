import { it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { findBrowser, startBrowser } from './browser.js';

const found = await findBrowser();

/** A test in a browser, skipped where there is none. */
export const flow = 'path' in found ? it : (it.skip as unknown as typeof it);
/** Its name, with the reason where it is skipped. */
export const named = (name: string) => ('path' in found ? name : `${name} (not run: ${found.missing})`);

/** Waits of pages end what hangs, and assert nothing. */
const longestWaitMs = 120_000;

/** A running Curtail with the sample, and a browser that opens its page. */
export class ServedPage {
  private constructor(
    private readonly folder: CurtailFolder,
    readonly curtail: CurtailProcess,
    readonly url: string,
    private readonly browser: Browser,
  ) {}

  /** @returns undefined where there is no browser. */
  static async start(environment: Record<string, string>): Promise<ServedPage | undefined> {
    if (!('path' in found)) return undefined;
    const folder = await CurtailFolder.create();
    const { curtail, url } = await folder.start({ environment });
    return new ServedPage(folder, curtail, url, await startBrowser(found.path));
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.folder.remove();
  }

  /** A browser has six connections to a server, and each open page holds one. */
  async closePages(): Promise<void> {
    const pages = this.browser.contexts().flatMap((each) => each.pages());
    await Promise.all(pages.map((page) => page.close()));
  }

  async context(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const made = await this.browser.newContext(options);
    made.setDefaultTimeout(longestWaitMs);
    return made;
  }

  /** A page at a view, once it is live. @param path below `/ui`. */
  async open(path: string, of?: BrowserContext): Promise<Page> {
    const page = await (of ?? (await this.context())).newPage();
    await page.goto(`${this.url}/ui${path}`);
    await page.getByRole('status').getByText('live', { exact: true }).waitFor();
    return page;
  }

  /** @param body a text is a configuration. @throws for any answer that is none of success. */
  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const isText = typeof body === 'string';
    const response = await fetch(this.url + path, {
      method,
      ...(body !== undefined && {
        body: isText ? body : JSON.stringify(body),
        headers: { 'content-type': isText ? 'application/yaml' : 'application/json' },
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text.trimEnd().split('\n').at(-1)!) as T;
  }

  /** Reads until an answer has something. */
  async until<T, F>(path: string, find: (answer: T) => F | undefined | false): Promise<F> {
    for (;;) {
      const value = find(await this.request<T>('GET', path));
      if (value !== undefined && value !== false) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** A partition of its own with the work and the quotas of the sample. @returns its configuration, as text. */
  async partitionWithSample(partition: string, configuration: string): Promise<string> {
    await this.request('POST', `/v1/partitions/${partition}/simulated/sample`);
    const own = configuration.replace('name: default', `name: ${partition}`);
    await this.request('PUT', `/v1/partitions/${partition}/config`, own);
    return own;
  }
}
