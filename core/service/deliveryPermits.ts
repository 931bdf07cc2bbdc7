import { DateTime } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { WebhookId } from "../model/WebhookId.ts"

/** How many deliveries a host has in flight at most. */
export interface DeliveryShares {
  /** All together, without those to webhooks that fail. */
  readonly all: number
  /** To one webhook. */
  readonly webhook: number
  /** To the webhooks of one account. */
  readonly account: number
  /** To all webhooks that fail, beside `all`. Each of these webhooks has one at a time. */
  readonly failing: number
}

/** What decides whether something may be delivered to a webhook. */
export interface Receiver {
  /** Whose webhook it is; none where it is the whole deployment's. */
  readonly account?: AccountId | undefined
  /** Until when nothing is delivered, after the last delivery failed. */
  readonly pausedUntil?: DateTime.Utc | undefined
  readonly isDisabled: boolean
}

/** One delivery in flight. */
export interface DeliveryPermit {
  readonly webhook: WebhookId | undefined
  readonly account: AccountId | undefined
  readonly isFailing: boolean
}

/**
 * The deliveries that are in flight in this host. Webhooks that fail have permits of their own: however many of them hang, they
 * leave the permits of all others free.
 */
export const makeDeliveryPermits = (shares: DeliveryShares, receivers: () => ReadonlyMap<WebhookId, Receiver>) => {
  const inFlight = new Map<string, number>()
  const count = (key: string): number => inFlight.get(key) ?? 0
  const change = (key: string, by: number): void => {
    const now = count(key) + by
    if (now === 0) inFlight.delete(key)
    else inFlight.set(key, now)
  }

  /** The counters of a permit, and the maximum of each. */
  const boundsOf = ({
    account,
    isFailing,
    webhook
  }: DeliveryPermit): ReadonlyArray<readonly [key: string, most: number]> => {
    if (isFailing)
      return [
        ["failing", shares.failing],
        [`webhook ${webhook}`, 1]
      ]
    const bounds: Array<readonly [string, number]> = [["all", shares.all]]
    if (webhook !== undefined) bounds.push([`webhook ${webhook}`, shares.webhook])
    if (account !== undefined) bounds.push([`account ${account}`, shares.account])
    return bounds
  }

  const hasRoom = (permit: DeliveryPermit): boolean => boundsOf(permit).every(([key, most]) => count(key) < most)

  const permitFor = (webhook: WebhookId | undefined): DeliveryPermit => {
    const receiver = webhook && receivers().get(webhook)
    return { webhook, account: receiver?.account, isFailing: receiver?.pausedUntil !== undefined }
  }

  return {
    /** How many more deliveries may begin, beside those to webhooks that fail. */
    free: (): number => shares.all - count("all"),
    /** The webhooks to which nothing may be delivered at `now`. */
    unavailable: (now: DateTime.Utc): ReadonlyArray<WebhookId> => {
      const found: Array<WebhookId> = []
      for (const [webhook, { isDisabled, pausedUntil }] of receivers()) {
        const isPaused = pausedUntil !== undefined && DateTime.isGreaterThan(pausedUntil, now)
        if (isDisabled || isPaused || !hasRoom(permitFor(webhook))) found.push(webhook)
      }
      return found
    },
    /** A permit for a delivery to this webhook, or to the host's own receiver; `undefined` if a share is used up. */
    acquire: (webhook: WebhookId | undefined): DeliveryPermit | undefined => {
      const permit = permitFor(webhook)
      if (!hasRoom(permit)) return undefined
      for (const [key] of boundsOf(permit)) change(key, 1)
      return permit
    },
    release: (permit: DeliveryPermit): void => {
      for (const [key] of boundsOf(permit)) change(key, -1)
    }
  }
}
