import type { Browser, Page } from 'playwright-core';

/** Runs in the page before its own scripts: keeps when the first queue was seen. */
const watchFirst = `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('[role=treeitem]')) return;
    window.firstContentMs = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });`;

/** A page at an address, with nothing cached. */
export async function openFresh(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(watchFirst);
  await page.goto(address);
  await page.locator('[role=treeitem]').first().waitFor();
  return page;
}

/** From the beginning of the navigation until the first queue is in the document. */
export const firstContentMs = async (page: Page): Promise<number> =>
  Number(await page.evaluate('window.firstContentMs'));

/** Bytes of all scripts as they were transferred. */
export const scriptBytes = async (page: Page): Promise<number> =>
  Number(
    await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    ),
  );

/**
 * From an action until the frame after its effect is in the document.
 *
 * @param act script of the action. @param isDone expression that is true once the effect is there.
 */
export async function untilShown(page: Page, act: string, isDone: string): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((resolve) => {
      const began = performance.now();
      const check = () => {
        if (!(${isDone})) return false;
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
        return true;
      };
      const observer = new MutationObserver(() => { if (check()) observer.disconnect(); });
      observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
      ${act};
      if (check()) observer.disconnect();
    })`),
  );
}

/** Script: writes into the search as a person would. */
export const find = (text: string) => `{
  const input = document.querySelector('input[aria-label="Find a queue"]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)});
  input.dispatchEvent(new Event('input', { bubbles: true }));
}`;

export const isShown = (path: string) => `document.querySelector('[data-path="${path}"]') !== null`;
export const toggle = (path: string) => `document.querySelector('[data-path="${path}"] button').click()`;

export interface HeapSizes {
  /** Bytes that V8 holds after a collection, with the code that it has compiled so far. */
  all: number;
  /** Bytes of the objects of the page alone: what a leak makes grow. */
  objects: number;
}

/** The heap of a page after a collection, from a snapshot of it. */
export async function heapSizes(page: Page): Promise<HeapSizes> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const chunks: string[] = [];
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    return { all: usedSize, objects: bytesOfObjects(JSON.parse(chunks.join('')) as HeapSnapshot) };
  } finally {
    await session.detach();
  }
}

/** A heap snapshot as DevTools writes it: all nodes in one list, `node_fields` numbers for each. */
interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: [string[], ...unknown[]] } };
  nodes: number[];
}

/** Compiled code, and what the browser keeps outside the heap: requests for DevTools, the last 250 resource timings. */
const notOfThePage = new Set(['code', 'native']);

function bytesOfObjects({ snapshot: { meta }, nodes }: HeapSnapshot): number {
  const width = meta.node_fields.length;
  const [type, size] = [meta.node_fields.indexOf('type'), meta.node_fields.indexOf('self_size')];
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += width)
    if (!notOfThePage.has(meta.node_types[0][nodes[node + type]!]!)) bytes += nodes[node + size]!;
  return bytes;
}
