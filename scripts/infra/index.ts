/** Real servers for tests and for trying things out, without Docker. docs/development.md, "Servers for tests" */
export { prepare } from './command/prepare.js';
export { environmentOf, openThree, type Three, type ThreeOptions } from './command/three.js';
export { startThree, stopThree } from './command/up.js';
export { InfraError } from './infra-error.js';
export { type KafkaCluster, startKafkaCluster } from './kafka/cluster.js';
export { type BrokerOptions, KafkaServer, openKafka, startKafka } from './kafka/kafka.js';
export { type ControlPlane, openControlPlane, startControlPlane } from './kubernetes/control-plane.js';
export type { User } from './kubernetes/keys.js';
export { buildControlPlane, isControlPlaneBuilt } from './kubernetes/program.js';
export { openPostgres, type PostgresOptions, PostgresServer, startPostgres } from './postgres/postgres.js';
export { type Programs, setUp } from './programs/set-up.js';
export { openRedis, type RedisOptions, RedisServer, startRedis } from './redis/redis.js';
export { type Authority, type Certificate, makeAuthority } from './secured/authority.js';
export { type SecuredKafka, type SecuredKafkaOptions, startSecuredKafka } from './secured/secured-kafka.js';
export type { SecuredWay } from './secured/secured-properties.js';
export { makeTokenIssuer, type TokenIssuer } from './secured/token-issuer.js';
export { ownFolder } from './server/own-folder.js';
export { Server } from './server/server.js';
