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
export { NestLogger } from './logging/nest-logger.js';
export { redactFields } from './logging/redact-fields.js';
export { redactText } from './logging/redact-text.js';
export { RepeatedWarning } from './logging/repeated-warning.js';
export { Metrics } from './metrics/metrics.js';
export { MetricsModule } from './metrics/metrics.module.js';
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
export { OPERATOR_DATABASE, READER_DATABASE, SCAN_DATABASE } from './runtime/databases.js';
export { type Program, runAlone } from './runtime/run-alone.js';
export { appsModule, type RunContext, type RunningApps, runApps } from './runtime/run-apps.js';
export { runProgram } from './runtime/run-program.js';
export { openRuntime, type Runtime } from './runtime/runtime.js';
export { runtimeModule } from './runtime/runtime.module.js';
export type { ServiceApp, Worker } from './runtime/service-app.js';
export { appSettings } from './runtime/settings/app-settings.js';
export { archiveSettings } from './runtime/settings/archive-settings.js';
export {
  type CurtailSettings,
  curtailSettingGroups,
  curtailSettings,
} from './runtime/settings/curtail-settings.js';
export { type KafkaSettings, kafkaOptions, kafkaSettings } from './runtime/settings/kafka-settings.js';
export { type KubernetesSettings, kubernetesSettings } from './runtime/settings/kubernetes-settings.js';
export { type RedisSettings, redisOptions, redisSettings } from './runtime/settings/redis-settings.js';
export { settingsFile } from './runtime/settings/settings-file.js';
export { acceptedText, describeGroups, describeSettings } from './settings/describe-settings.js';
export { given } from './settings/given.js';
export { address, oneOf, type SettingKind, text, wholeNumber, word } from './settings/kinds.js';
export { readSettings } from './settings/read-settings.js';
export {
  type GeneralSettings,
  generalSettings,
  portSetting,
  type ServiceSettings,
  serviceSettings,
} from './settings/service-settings.js';
export {
  optionalSetting,
  requiredSetting,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  setting,
  someOf,
} from './settings/setting.js';
export { type SettingProblem, SettingsError } from './settings/settings-error.js';
export { Shutdown, type ShutdownOptions, type ShutdownPhase, shutdownPhases } from './shutdown/shutdown.js';
