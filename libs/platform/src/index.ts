export { OneAtATime } from './apart/one-at-a-time.js';
export { builtProgram, Thread, type ThreadProgram } from './apart/thread.js';
export { type ApartLimits, type Asking, outOfMemory, WorkApart } from './apart/work-apart.js';
export { Readiness, type ReadinessCheck } from './health/readiness.js';
export { Waiting } from './health/waiting.js';
export { configureHttp } from './http/configure-http.js';
export { createHttpApp, type HttpAppOptions } from './http/create-http-app.js';
export { FrontDoor } from './http/front-door.js';
export { goneWith } from './http/gone-with.js';
export { assertListenAddress, isLoopback } from './http/listen-address.js';
export { closeAtTheEnd, serveHttp } from './http/serve-http.js';
export { createLogger, type LogSettings } from './logging/create-logger.js';
export { LimitedErrors } from './logging/limited-errors.js';
export { NestLogger } from './logging/nest-logger.js';
export { redactFields } from './logging/redact-fields.js';
export { redactText } from './logging/redact-text.js';
export { RepeatedWarning } from './logging/repeated-warning.js';
export { Metrics } from './metrics/metrics.js';
export { MetricsModule } from './metrics/metrics.module.js';
export { ApiAnswer, ApiParameters } from './openapi/api-answer.js';
export { schemaOf } from './openapi/schema-of.js';
export { type OpenApiTexts, openApiDocument, setUpOpenApi } from './openapi/set-up-open-api.js';
export { openApiText, writeOpenApi } from './openapi/write-open-api.js';
export { LOG, platformModule, SERVICE_SETTINGS } from './platform.module.js';
export * from './postgres/index.js';
export { checkInput } from './problems/check-input.js';
export { type InputProblem, type Problem, type ProblemSketch, problem } from './problems/problem.js';
export { ProblemException } from './problems/problem-exception.js';
export { problemOf } from './problems/problem-of.js';
export { RefusedInput } from './problems/refused-input.js';
export { acceptedText, describeGroups, describeSettings } from './settings/describe-settings.js';
export { given } from './settings/given.js';
export {
  address,
  kindOf,
  list,
  oneOf,
  type SettingKind,
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
  optionalSetting,
  requiredSetting,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  setting,
  someOf,
  valuesOf,
} from './settings/setting.js';
export { type SettingProblem, SettingsError } from './settings/settings-error.js';
export { Shutdown, type ShutdownOptions, type ShutdownPhase, shutdownPhases } from './shutdown/shutdown.js';
