export { Places } from './apart/places.js';
export { builtProgram, Thread, type ThreadProgram } from './apart/thread.js';
export { Turns } from './apart/turns.js';
export { type Asking, outOfMemory, WorkApart } from './apart/work-apart.js';
export { Down } from './health/down.js';
export { Readiness, type ReadinessCheck } from './health/readiness.js';
export { type ServerDown, ServersDown } from './health/servers-down.js';
export { Waiting } from './health/waiting.js';
export { type Caller, type Client, clientOf, ownWork } from './http/client.js';
export { createHttpApp } from './http/create-http-app.js';
export { tagOf, versionToMatch } from './http/entity-tag.js';
export { FrontDoor } from './http/front-door.js';
export { goneWith, onceClosed } from './http/gone-with.js';
export { JsonText, jsonOf } from './http/json-text.js';
export { linesType, wantsLines } from './http/lines.js';
export { type LinkedExplanation, linkedOf, linkFor } from './http/linked-explanation.js';
export { assertListenAddress, isLoopback } from './http/listen-address.js';
export { pagePath } from './http/page-files.js';
export { closeAtTheEnd, serveHttp } from './http/serve-http.js';
export { assertOfTeam, type Team, teamOf } from './http/teams.js';
export { createLogger } from './logging/create-logger.js';
export { LimitedErrors } from './logging/limited-errors.js';
export { RepeatedWarning } from './logging/repeated-warning.js';
export { Metrics } from './metrics/metrics.js';
export { ApiAnswer, ApiParameters, ApiProblem, ApiTaskAnswer } from './openapi/api-answer.js';
export { ApiTextBody } from './openapi/api-body.js';
export { answerSchemaOf, schemaOf } from './openapi/schema-of.js';
export { openApiText } from './openapi/write-open-api.js';
export { LOG, platformModule, SERVICE_SETTINGS } from './platform.module.js';
export * from './postgres/index.js';
export { checkInput } from './problems/check-input.js';
export { notFound } from './problems/not-found.js';
export { type Problem, problem } from './problems/problem.js';
export { ProblemException } from './problems/problem-exception.js';
export { problemOf } from './problems/problem-of.js';
export { RefusedInput } from './problems/refused-input.js';
export { acceptedText, describeGroups } from './settings/describe-settings.js';
export { given } from './settings/given.js';
export {
  address,
  kindOf,
  list,
  oneOf,
  text,
  textFile,
  wholeNumber,
  word,
  yesOrNo,
} from './settings/kinds.js';
export { readSettings } from './settings/read-settings.js';
export {
  type DatabaseSettings,
  databaseSettings,
  type GeneralSettings,
  generalSettings,
  portSetting,
  type ServiceSettings,
  serviceSettings,
  sharedDatabaseSettings,
} from './settings/service-settings.js';
export {
  type AboutSetting,
  aboutSetting,
  constant,
  isDefault,
  optionalSetting,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  setting,
  someOf,
  valuesOf,
  variablesOf,
} from './settings/setting.js';
export { type SettingProblem, SettingsError } from './settings/settings-error.js';
export { Shutdown } from './shutdown/shutdown.js';
