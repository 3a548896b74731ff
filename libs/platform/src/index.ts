export { AccessControl, isGuarded, type Known, type Login } from './access/access-control.js';
export { type Actor, actingAs, actorNow, recordedSender } from './access/acting.js';
export { faultText, RefusedFile } from './access/checked-file.js';
export { FileInForce, type StaleFile } from './access/file-in-force.js';
export { limitsOf, may, mayAnywhere, type PlaceOfRight } from './access/grants.js';
export { type Content, passOn } from './access/passed-on.js';
export { readPolicy } from './access/policy-file.js';
export { type AccessRight, builtInRoles, rights, roleNames } from './access/rights.js';
export { type CheckSenders, SenderCheck } from './access/sender-check.js';
export { sharedSecretOf } from './access/shared-secret.js';
export { digestOf, readTokens } from './access/static-tokens.js';
export { type RouteRights, routes } from './access/table-of-rights.js';
export { Down } from './health/not-ready.js';
export { Readiness, type ReadinessCheck } from './health/readiness.js';
export { type ServerDown, ServersDown } from './health/ready-answer.js';
export { WaitingForServers } from './health/waiting.js';
export { PlacesKnown } from './http/authorize.js';
export {
  assertMay,
  concerns,
  grantsOf,
  isStillKnown,
  knownOf,
  readable,
  senderField,
  submitterOf,
} from './http/caller.js';
export {
  type Caller,
  type CallingClient,
  callerNow,
  callingClientOf,
  forAllCallers,
  onceClosed,
  ownWork,
} from './http/client.js';
export { userName } from './http/connection-identity.js';
export { createHttpApp } from './http/create-http-app.js';
export { tagOf, versionToMatch } from './http/entity-tag.js';
export { closeAtTheEnd, FrontDoor, serveHttp } from './http/front-door.js';
export { linkedOf, linkFor } from './http/linked-explanation.js';
export { assertListenAddress } from './http/listen-address.js';
export { isLoopback } from './http/loopback.js';
export { pagePath } from './http/page-files.js';
export { JsonText, jsonOfBody } from './http/parse-json.js';
export { type Team, teamOf } from './http/teams.js';
export { createLogger } from './logging/create-logger.js';
export { mapStacks } from './logging/mapped-stacks.js';
export { LimitedErrors, RepeatedWarning } from './logging/repeated-warning.js';
export { Metrics } from './metrics/metrics.js';
export {
  ApiAnswer,
  ApiParameters,
  ApiProblem,
  ApiTaskAnswer,
  ApiTextBody,
  answerSchemaOf,
  linesType,
  schemaOf,
  wantsLines,
} from './openapi/api-answer.js';
export { openApiText } from './openapi/set-up-open-api.js';
export { LOG, platformModule, SERVICE_SETTINGS } from './platform.module.js';
export * from './postgres/index.js';
export { notFound, type Problem, ProblemException } from './problems/problem.js';
export { problemOf } from './problems/problem-of.js';
export { checkInput, RefusedInput } from './problems/refused-input.js';
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
export { given, readSettings, warnOfUnknownSettings } from './settings/read-settings.js';
export { holdSecret } from './settings/secrets.js';
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
  acceptedText,
  constant,
  describeGroups,
  isDefault,
  optionalSetting,
  pickSettings,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  secretFileOf,
  setting,
  valuesOf,
  variablesOf,
} from './settings/setting.js';
export { type SettingProblem, SettingsError } from './settings/settings-error.js';
export { Shutdown } from './shutdown/shutdown.js';
export { signatureHeader, signMessage } from './signing/message-signature.js';
export {
  isSignedBy,
  type PublicKey,
  publicKeyOf,
  type Signature,
  SigningKey,
} from './signing/signing-key.js';
export { builtProgram, Thread, type ThreadProgram } from './threads/thread.js';
export { CallerPlaces, Turns } from './threads/turns.js';
export { type Asking, outOfMemory, WorkInThread } from './threads/work-in-thread.js';
