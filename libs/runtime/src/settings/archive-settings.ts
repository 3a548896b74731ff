import { optionalSetting, setting, text, wholeNumber } from '#platform';

/** Settings of the console, which archives the log and reads archives. */
export const archiveSettings = {
  archiveDir: optionalSetting(
    'CURTAIL_ARCHIVE_DIR',
    text({ min: 1, max: 4096, right: 'the path of a folder' }),
    { help: 'Folder for archives of the log, which `curtail log archive` writes and replays read' },
  ),
  archiveAfterDays: setting('CURTAIL_ARCHIVE_AFTER_DAYS', wholeNumber({ min: 0, max: 3650 }), {
    default: 35,
    help: 'Minimum age of a month of the log before it is archived, in days since its end; longer than Kafka keeps messages',
  }),
};
