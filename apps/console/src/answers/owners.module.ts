import { Module } from '@nestjs/common';
import { AnswersController } from './answers.controller.js';
import { OwnerAnswers } from './owner-answers.js';
import { TakeAnswers } from './take-answers.js';

/** The answers of owners, as requests and as events. */
@Module({ controllers: [AnswersController, TakeAnswers], providers: [OwnerAnswers] })
export class OwnersModule {}
