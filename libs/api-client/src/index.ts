/** The client of the HTTP API for the command line and for pages in a browser: its types are made from docs/reference/openapi.json. */
export {
  type AnswerOf,
  ApiClient,
  type ApiRequest,
  type BodyOf,
  type LinesPath,
  type ListPath,
  type NamedKind,
  type Page,
  pagesOf,
  type Query,
  type ResultOf,
  type SendToApi,
} from './api-client.js';
export type * from './generated/openapi.js';
export { AnswerError, type FetchedAnswer, type ProblemAnswer, ProblemError } from './problem-error.js';
