import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { freePorts } from '../../scripts/infra/server/ports.js';
import { OidcIssuer, oidcAudience, oidcClient } from '../support/oidc-issuer.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { flow, named, ServedPage } from './served-page.js';

/** In the page. */
const keptToken = "sessionStorage.getItem('curtail-token')";

let issuer: OidcIssuer;
let served: ServedPage | undefined;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const { port } = await freePorts(['port']);
  const redirectUris = [`http://127.0.0.1:${port}/ui/`];
  issuer = await OidcIssuer.start({ people: { olga: ['sre'] }, redirectUris, accessTokenSeconds: 20 });
  const policyFile = join(folder.path, 'policy.yaml');
  await writeFile(policyFile, 'grants: [{group: sre, role: operator}]\n');
  served = await ServedPage.start({
    CURTAIL_PORT: String(port),
    CURTAIL_POLICY_FILE: policyFile,
    CURTAIL_OIDC_ISSUER: issuer.url,
    CURTAIL_OIDC_AUDIENCE: oidcAudience,
    CURTAIL_OIDC_CLIENT_ID: oidcClient,
  });
});
afterAll(async () => {
  await served?.end();
  await issuer?.stop();
  await folder?.remove();
});

flow(
  named('a person logs in at the issuer, returns to the same view, stays logged in, and logs out'),
  async () => {
    const page = await (await served!.context()).newPage();
    const tokenKept = () => page.evaluate<string | null>(keptToken);
    await page.goto(`${served!.url}/ui/runs?partition=default`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL((address) => address.href.startsWith(issuer.url));
    await page.locator('[name=login]').fill('olga');
    await page.locator('[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();
    await page.getByRole('status').getByText('live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${served!.url}/ui/runs?partition=default`);
    const first = await tokenKept();
    expect(first).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const who = await fetch(`${served!.url}/v1/whoami`, { headers: { authorization: `Bearer ${first}` } });
    expect(await who.json()).toMatchObject({ actor: { issuer: issuer.url, subject: 'olga' } });
    // Renewed after half its life, without another login.
    while ((await tokenKept()) === first) await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await tokenKept();
    const still = await fetch(`${served!.url}/v1/whoami`, { headers: { authorization: `Bearer ${second}` } });
    expect(still.status).toBe(200);

    const asked = issuer.asked.length;
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    const kept = await page.evaluate<string[]>('Object.keys(sessionStorage)');
    expect(kept.filter((key) => /token|login/.test(key))).toEqual([]);
    // So that nobody can renew the token, either.
    expect(issuer.asked.slice(asked)).toContain('/token/revocation');
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  },
);

flow(named('a login that the issuer refuses is told on the page, which has no token then'), async () => {
  const page = await (await served!.context()).newPage();
  await page.goto(`${served!.url}/ui/`);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((address) => address.href.startsWith(issuer.url));
  await page.getByText('Cancel').click();
  await page.getByText('The login failed').waitFor();
  expect(await page.evaluate<string | null>(keptToken)).toBeNull();
  expect(page.url()).not.toContain('state=');
});
