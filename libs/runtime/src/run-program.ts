import type { Logger } from 'pino';
import type { GeneralSettings, SettingsOf, SettingsSchema } from '#platform';
import {
  assertListenAddress,
  createLogger,
  describeGroups,
  readSettings,
  SettingsError,
  Shutdown,
} from '#platform';

/**
 * A process that reads its settings from the environment and a file, and runs until a signal ends it. `--help` lists
 * the settings; bad ones are reported on standard error, exit status 2.
 *
 * @param program.name in sentences: `timer`.
 * @param program.groups the settings by title, for `--help`.
 * @param program.settings all of them.
 * @param start registers everything that has to be ended with `shutdown`, even if it throws halfway. @returns the
 * address.
 */
export async function runProgram<S extends SettingsSchema>(
  { name, groups, settings: schema }: { name: string; groups: Record<string, SettingsSchema>; settings: S },
  start: (settings: SettingsOf<S>, process: { log: Logger; shutdown: Shutdown }) => Promise<string>,
): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${describeGroups(groups)}\n`);
    return;
  }
  try {
    const settings = readSettings(schema, process.env, process.env.CURTAIL_SETTINGS);
    const general = settings as unknown as GeneralSettings;
    assertListenAddress(general.host, general.token);
    const log = createLogger(general);
    const shutdown = new Shutdown({ log, deadlineSeconds: general.shutdownSeconds });
    shutdown.listen();
    try {
      const url = await start(settings, { log, shutdown });
      log.info({ url }, `The ${name} runs; it answers at ${url}.`);
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      log.fatal({ err: error }, `The ${name} cannot start.`);
      await shutdown.run(1);
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(2);
  }
}
