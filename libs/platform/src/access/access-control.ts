import type { Socket } from 'node:net';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { certifiedSubject, isLocal, userName } from '../http/connection-identity.js';
import { readTeams, type Team } from '../http/teams.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { type Actor, sharedIssuer } from './acting.js';
import { FileInForce, type StaleFile } from './file-in-force.js';
import { everything, type Grant } from './grants.js';
import { OidcTokens, type TokenRefusal } from './oidc.js';
import { PassedOnCallers } from './passed-on.js';
import { type AccessPolicy, grantAt, noPolicy, readPolicy, rightsOfRole } from './policy-file.js';
import { sharedSecretOf } from './shared-secret.js';
import { digestOf, type NamedToken, readTokens } from './static-tokens.js';

/** Who a credential belongs to, and what that permits now. */
export interface Known {
  actor: Actor;
  grants: readonly Grant[];
  team?: Team;
  /** The user of the clusters that the caller is, who may read why own work was evicted. Undefined: none. */
  user?: string;
  /** The credential counts only for a request with this content (`digestOfContent`). Undefined: for any. */
  content?: string;
}

export type AccessSettings = Pick<
  GeneralSettings,
  | 'token'
  | 'signingKey'
  | 'localUser'
  | 'teamsFile'
  | 'policyFile'
  | 'tokensFile'
  | 'oidcIssuer'
  | 'oidcAudience'
  | 'oidcGroupsClaim'
  | 'oidcClientId'
  | 'oidcScopes'
  | 'tlsClientCa'
>;

/** Where a person logs in at the issuer of a Curtail. */
export interface Login {
  issuer: string;
  audience: string;
  clientId: string;
  scopes: string;
  /** Undefined: the issuer has not answered yet, or has none. */
  authorizationEndpoint?: string | undefined;
  tokenEndpoint?: string | undefined;
}

/** The credentials that this process accepts, and the rights that come with them. Files are read again when they change. */
export class AccessControl {
  private readonly passedOn: PassedOnCallers | undefined;
  private readonly admin: { digest: string; known: Known } | undefined;
  private readonly teams: FileInForce<Map<string, Team>> | undefined;
  private readonly tokens: FileInForce<Map<string, NamedToken>> | undefined;
  private readonly policyFile: FileInForce<AccessPolicy> | undefined;
  private readonly oidc: OidcTokens | undefined;

  /** @param self the name of this service, if others pass callers on to it: `config ingest`. @throws RefusedFile */
  constructor(
    private readonly settings: AccessSettings,
    log: Logger,
    self = '',
  ) {
    const { token, localUser, teamsFile, policyFile, tokensFile, oidcIssuer, oidcAudience } = settings;
    const secret = sharedSecretOf(settings);
    this.passedOn = secret === undefined ? undefined : new PassedOnCallers(secret, self);
    const own: Actor =
      localUser === undefined
        ? { issuer: sharedIssuer, subject: 'admin' }
        : { issuer: 'local', subject: localUser };
    this.admin =
      token === undefined
        ? undefined
        : { digest: digestOf(token).toString('hex'), known: { actor: own, grants: everything } };
    this.teams =
      teamsFile === undefined ? undefined : FileInForce.open('CURTAIL_TEAMS_FILE', teamsFile, readTeams);
    this.tokens =
      tokensFile === undefined ? undefined : FileInForce.open('CURTAIL_TOKENS_FILE', tokensFile, readTokens);
    this.policyFile =
      policyFile === undefined ? undefined : FileInForce.open('CURTAIL_POLICY_FILE', policyFile, readPolicy);
    this.oidc =
      oidcIssuer === undefined || oidcAudience === undefined
        ? undefined
        : new OidcTokens(
            { issuer: oidcIssuer, audience: oidcAudience, groupsClaim: settings.oidcGroupsClaim },
            log,
          );
  }

  /** @returns stops it. */
  follow(log: Logger): () => void {
    void this.oidc?.ask();
    const stops = [this.tokens, this.teams, this.policyFile].flatMap((file) =>
      file ? [file.follow(log)] : [],
    );
    return () => {
      for (const stop of stops) stop();
    };
  }

  get policy(): AccessPolicy {
    return this.policyFile?.value ?? noPolicy;
  }

  /** Files whose content is refused, so that a former one is in force. */
  get stale(): StaleFile[] {
    return [this.tokens?.stale, this.teams?.stale, this.policyFile?.stale].filter(
      (stale) => stale !== undefined,
    );
  }

  /** Whose token it is: at once for those that are known here. Only digests are compared, each of which is as long as any other. */
  identify(token: string): Known | TokenRefusal | Promise<Known | TokenRefusal> {
    const digest = digestOf(token).toString('hex');
    if (digest === this.admin?.digest) return this.admin.known;
    const named = this.tokens?.value.get(digest);
    if (named !== undefined) return this.ofToken(named);
    const team = this.teams?.value.get(digest);
    if (team !== undefined) return this.ofTeam(team);
    if (this.oidc === undefined || !OidcTokens.looksLike(token)) return 'invalid';
    return this.oidc
      .actorOf(token, digest)
      .then((actor) => (typeof actor === 'string' ? actor : this.ofIssuer(actor)));
  }

  /** Who the connection itself says the caller is: a user of this machine, or the subject of a certificate. */
  ofConnection(socket: Socket): Known | undefined {
    if (isLocal(socket)) {
      const subject = this.settings.localUser ?? userName();
      return { actor: { issuer: 'local', subject }, grants: everything };
    }
    const subject = this.settings.tlsClientCa === undefined ? undefined : certifiedSubject(socket);
    return subject === undefined ? undefined : this.ofCertificate({ issuer: 'mtls', subject });
  }

  /** Who the connection to another service said the caller is, as that service passes it on. */
  ofPassedOn(token: string, request: Pick<Request, 'method' | 'originalUrl'>): Known | undefined {
    const passed = this.passedOn?.read(token, request);
    if (passed === undefined) return undefined;
    const { actor, content } = passed;
    const known = actor.issuer === 'local' ? { actor, grants: everything } : this.ofCertificate(actor);
    return { ...known, content };
  }

  private ofCertificate(actor: Actor): Known {
    return { actor, grants: this.policy.grantsOf(actor), ...this.userOf(actor) };
  }

  /** Where people log in; undefined: nowhere. */
  async login(): Promise<Login | undefined> {
    const { oidcIssuer, oidcAudience, oidcClientId, oidcScopes } = this.settings;
    if (this.oidc === undefined || oidcClientId === undefined) return undefined;
    await this.oidc.ask();
    const { authorization_endpoint, token_endpoint } = this.oidc.endpoints ?? {};
    return {
      issuer: oidcIssuer!,
      audience: oidcAudience!,
      clientId: oidcClientId,
      scopes: oidcScopes,
      authorizationEndpoint: authorization_endpoint,
      tokenEndpoint: token_endpoint,
    };
  }

  /** The origin from which a page gets its token, as far as it is known; undefined: none does. */
  get loginOrigin(): string | undefined {
    const { oidcIssuer, oidcClientId } = this.settings;
    if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
    return new URL(this.oidc?.endpoints?.token_endpoint ?? oidcIssuer).origin;
  }

  /** A bare subject of the policy file that Curtail itself has a token for is the owner of that token, and nobody of the issuer. */
  private ofIssuer(actor: Actor): Known {
    const isTaken =
      [...(this.tokens?.value.values() ?? [])].some(({ name }) => name === actor.subject) ||
      [...(this.teams?.value.values() ?? [])].some(({ name }) => name === actor.subject);
    return { actor, grants: this.policy.grantsOf(actor, { isTaken }), ...this.userOf(actor) };
  }

  /** Users of the clusters are subjects of the issuer, if there is one: a token of the same name may be of a program. */
  private userOf({ issuer, subject }: Actor): Pick<Known, 'user'> {
    const voucher = this.settings.oidcIssuer;
    return voucher === undefined || voucher === issuer ? { user: subject } : {};
  }

  private ofToken({ name, groups, expires, grants }: NamedToken): Known | TokenRefusal {
    if (expires !== undefined && expires.getTime() <= Date.now()) return 'expired';
    const actor: Actor = { issuer: 'tokens', subject: name, ...(groups && { groups }) };
    return { actor, grants: [...grants, ...this.policy.grantsOf(actor)], ...this.userOf(actor) };
  }

  private ofTeam(team: Team): Known {
    const actor: Actor = { issuer: 'teams', subject: team.name };
    return { actor, team, grants: [grantAt(submitter, team), ...this.policy.grantsOf(actor)] };
  }
}

const submitter = rightsOfRole(['submitter']);

/** Whether callers need a credential. */
export const isGuarded = ({
  token,
  teamsFile,
  policyFile,
  tokensFile,
  oidcIssuer,
  tlsClientCa,
}: Partial<AccessSettings>): boolean =>
  [token, teamsFile, policyFile, tokensFile, oidcIssuer, tlsClientCa].some(
    (setting) => setting !== undefined && setting !== '',
  );
