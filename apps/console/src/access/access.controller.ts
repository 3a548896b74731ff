import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { accessView } from '#contracts/api';
import { ApiAnswer, type GeneralSettings, SERVICE_SETTINGS, teamOf } from '#platform';

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
        because: `The token of team ${team.name} reads everything, and commands nothing.`,
      };
    return { commands: true, because: null };
  }
}
