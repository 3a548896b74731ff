import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * @param checked the version with which the patches were checked last
 * @param readme where it is written what to do after an upgrade, from the root on
 * @throws Error if another version is installed
 */
export function expectPatched(library: string, checked: string, readme: string): void {
  const { version } = load(`${library}/package.json`) as { version: string };
  if (version === checked) return;
  throw new Error(
    `${library} ${version} is installed, and Curtail's patches were checked with ${checked}. ` +
      `Follow "After an upgrade" in ${readme}, then write ${version} into this test.`,
  );
}
