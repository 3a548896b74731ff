import { Module } from '@nestjs/common';
import { LayChain } from './lay-chain.js';
import { SendCheckpoints } from './send-checkpoints.js';
import { VerifyController } from './verify.controller.js';

/** The hash chains of the log. */
@Module({ controllers: [VerifyController], providers: [LayChain, SendCheckpoints] })
export class ChainModule {}
