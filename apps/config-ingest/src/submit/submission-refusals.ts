import type { ConfigurationResult } from '#configuration';
import { counted } from '#contracts';
import { ProblemException, tagOf } from '#platform';
import type { VersionConflict } from './expected-version.js';

export function conflict(partition: string, { version, message }: VersionConflict): ProblemException {
  return new ProblemException(
    {
      code: 'configuration-changed',
      title: 'Another configuration is in force',
      status: 412,
      detail: `${message} Nothing was changed.`,
      remedy: `Read the configuration in force again (curtail export --partition ${partition}), and send your change of it.`,
    },
    { ETag: tagOf(version) },
  );
}

export type Refused = Pick<ConfigurationResult, 'errors' | 'allowUnknownHelps'>;

/** The refusal of a configuration, with all its problems. */
export function refused({ errors, allowUnknownHelps }: Refused): ProblemException {
  return new ProblemException({
    code: 'configuration-refused',
    title: 'The configuration is refused',
    status: 422,
    detail: `It has ${counted(errors.length, 'error')}; the configuration in force stays as it is.`,
    remedy: allowUnknownHelps
      ? `Correct what is listed and send the whole configuration again. If the scheduler knows the unknown keys, allow them: ?allowUnknown=true, or curtail apply --allow-unknown.`
      : 'Correct what is listed and send the whole configuration again.',
    errors,
  });
}
