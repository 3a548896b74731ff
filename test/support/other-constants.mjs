import { curtailSettings } from '#runtime';

/**
 * `node --import other-constants.mjs <program>`: settings that are constants have other values. CURTAIL_TEST_CONSTANTS holds them as
 * JSON, `{ "sweepMilliseconds": 60000 }`, by the names that the code uses.
 *
 * In a test, `withConstants(values)` of with-constants.ts is the environment that does this to any program. A system in the process
 * of the test gets them as any other setting: `EmbeddedSystem.start({ sweepMilliseconds: 60_000 })`.
 */
for (const [name, value] of Object.entries(JSON.parse(process.env.CURTAIL_TEST_CONSTANTS))) {
  const { def } = curtailSettings[name];
  if (typeof def.defaultValue !== typeof value)
    throw new TypeError(`CURTAIL_TEST_CONSTANTS: ${name} is no such constant.`);
  Object.defineProperty(def, 'defaultValue', { value });
}
