import { ProblemException } from './problem-exception.js';

/** 404 for something that a request names and that is not on record; `detail` is a sentence for people. */
export function notFound(detail: string, remedy?: string): ProblemException {
  return new ProblemException({
    code: 'not-found',
    title: 'Not found',
    status: 404,
    detail,
    ...(remedy !== undefined && { remedy }),
  });
}
