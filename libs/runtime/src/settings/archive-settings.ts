import { optionalSetting, setting, text, wholeNumber } from '@curtail/platform';

/** Of the console, which archives the log and reads archives. */
export const archiveSettings = {
  archiveDir: optionalSetting(
    'CURTAIL_ARCHIVE_DIR',
    text({ min: 1, max: 4096, right: 'the path of a folder' }),
    { help: 'Folder for archives of the log, which `curtail log archive` writes and replays read' },
  ),
  archiveAfterDays: setting('CURTAIL_ARCHIVE_AFTER_DAYS', wholeNumber({ min: 0, max: 3650 }), {
    default: 35,
    help: 'Months of the log that ended less than so many days ago are not archived; more than Kafka keeps messages',
  }),
};
