import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { accessView, loginView, whoamiView } from '#contracts/api';
import {
  AccessControl,
  ApiAnswer,
  type GeneralSettings,
  knownOf,
  type Login,
  mayAnywhere,
  rights,
  SERVICE_SETTINGS,
  teamOf,
} from '#platform';

@ApiTags('status')
@Controller('v1/access')
export class AccessController {
  constructor(@Inject(SERVICE_SETTINGS) private readonly settings: GeneralSettings) {}

  @Get()
  @ApiOperation({
    summary: 'Whether the caller may send commands',
    description: 'A page offers commands only to those whose commands are not refused.',
  })
  @ApiAnswer(accessView)
  access(@Res({ passthrough: true }) response: Response) {
    if (this.settings.readOnly)
      return { commands: false, because: 'This Curtail is read-only (CURTAIL_READ_ONLY).' };
    const team = teamOf(response);
    if (team)
      return {
        commands: false,
        because: `The token of team ${team.name} reads ${team.queue} and below, and commands nothing.`,
      };
    const known = knownOf(response);
    if (known !== undefined && !mayAnywhere(known.grants, ['stop', 'operate', 'approve', 'administer']))
      return { commands: false, because: `The rights of ${known.actor.subject} include no commands.` };
    return { commands: true, because: null };
  }
}

/** Where people log in to this Curtail. */
@ApiTags('status')
@Controller('v1/login')
export class LoginController {
  constructor(private readonly access: AccessControl) {}

  @Get()
  @ApiOperation({
    summary: 'Where people log in, for the page and for curtail login',
    description: 'Needs no token. All fields are null without CURTAIL_OIDC_CLIENT_ID.',
  })
  @ApiAnswer(loginView)
  async login() {
    const found: Partial<Login> = (await this.access.login()) ?? {};
    const { issuer = null, clientId = null, audience = null, scopes = null } = found;
    const { authorizationEndpoint = null, tokenEndpoint = null } = found;
    return { issuer, clientId, audience, scopes, authorizationEndpoint, tokenEndpoint };
  }
}

/** Who the caller is to this Curtail. */
@ApiTags('status')
@Controller('v1/whoami')
export class WhoamiController {
  @Get()
  @ApiOperation({
    summary: 'Who the caller is, and what that permits',
    description: 'Without an `actor`, no credential is needed here, and everyone may do everything.',
  })
  @ApiAnswer(whoamiView)
  whoami(@Res({ passthrough: true }) response: Response) {
    const known = knownOf(response);
    if (known === undefined)
      return { actor: null, grants: [{ rights: Object.keys(rights), partition: null, queue: null }] };
    const grants = known.grants.map((grant) => ({
      rights: [...grant.rights].sort(),
      partition: grant.partition ?? null,
      queue: grant.queue ?? null,
    }));
    return { actor: known.actor, grants };
  }
}
