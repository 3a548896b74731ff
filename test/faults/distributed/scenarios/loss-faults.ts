import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@curtail/contracts/events';
import type { Scenario } from '../play.js';

const ofTheLog = Object.values(topics);

export const topicsDeleted: Scenario = {
  name: 'topics-deleted',
  title: 'all topics of the log are deleted, and created again by the first process that notices',
  losesMessages: true,
  async play({ stage, say }) {
    say('the topics are gone');
    await stage.wire.deleteTopics(ofTheLog);
  },
};

export const topicsEmptied: Scenario = {
  name: 'topics-emptied',
  title: 'all messages of the log are deleted, again and again',
  losesMessages: true,
  async play({ stage, chance, say }) {
    for (let times = 1; times <= 5; times++) {
      say(`emptied ${times}`);
      await stage.wire.empty(ofTheLog);
      await delay(chance.between(200, 1500));
    }
  },
};
