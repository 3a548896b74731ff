import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { publicKeys } from '#contracts/api';
import { ApiAnswer, type GeneralSettings, SERVICE_SETTINGS } from '#platform';

@ApiTags('status')
@Controller('v1/keys')
export class KeysController {
  constructor(@Inject(SERVICE_SETTINGS) private readonly settings: GeneralSettings) {}

  @Get()
  @ApiOperation({
    summary: 'The public part of the key that signs exported records, as a JSON Web Key Set',
    description: 'Needs no token. Empty without CURTAIL_SIGNING_KEY_FILE.',
  })
  @ApiAnswer(publicKeys)
  keys() {
    const { signingKey } = this.settings;
    return { keys: signingKey === undefined ? [] : [signingKey.publicKey] };
  }
}
