import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '#contracts/events';
import type { Scenario } from '../play.js';

const ofTheLog = Object.values(topics);

export const topicsDeleted: Scenario = {
  name: 'topics-deleted',
  title: 'all topics of the log are deleted, and created again by the first process that notices',
  losesMessages: true,
  async play({ stage, progress }) {
    progress('the topics are gone');
    await stage.wire.deleteTopics(ofTheLog);
  },
};

export const topicsEmptied: Scenario = {
  name: 'topics-emptied',
  title: 'all messages of the log are deleted, again and again',
  losesMessages: true,
  async play({ stage, chance, progress }) {
    for (let times = 1; times <= 5; times++) {
      progress(`emptied ${times}`);
      await stage.wire.empty(ofTheLog);
      await delay(chance.between(200, 1500));
    }
  },
};
