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

/** Bytes of the heap after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
