import { constants, ignoring, resolving } from "../../modules/answers.ts"
import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import { receivePushes, type Delivered } from "../../modules/push.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, listIn, numberIn, type Fields } from "../../runtime/decode.ts"

const statuses: Readonly<Record<Permission, number>> = { undetermined: -1, denied: 0, granted: 1 }

const settings = (permission: Permission) => {
  const authorizationStatus = statuses[permission]
  const isGiven = permission === "granted" ? 1 : 0
  return { authorizationStatus, ios: { authorizationStatus, alert: isGiven, badge: isGiven, sound: isGiven } }
}

/** The events of notifee for a notification. */
const [press, delivered] = [1, 3]

/** @notifee/react-native: push notifications of the page are received, and the app's own notifications are listed for the app and in the console, and not shown. */
export const notifee: Pack = {
  partial: (host) => {
    const shown = new Map<unknown, Fields>()
    const due = new Map<unknown, Fields>()
    let badge = 0
    const display = (options: unknown): void => {
      const { body, id, title } = fieldsIn(options)
      shown.set(id, fieldsIn(options))
      const text = [title, body].filter((one) => one !== undefined).join(": ")
      host.notes.line(`The app shows the notification “${text}”, which a replay only lists.`)
    }
    const cancel = (...kept: ReadonlyArray<Map<unknown, Fields>>) => ({
      one: (id: unknown) => kept.forEach((map) => map.delete(id)),
      some: (ids: unknown) => kept.forEach((map) => listIn(ids).forEach((id) => map.delete(id))),
      all: () => kept.forEach((map) => map.clear())
    })
    const [either, displayed, triggered] = [cancel(shown, due), cancel(shown), cancel(due)]
    const add = (by: unknown) => {
      badge = Math.max(0, badge + (numberIn(by) ?? 1))
    }
    const notify = (type: number | undefined) => (push: Delivered) => {
      const { body, data, id, title } = push
      const notification = { id, title, body, data, remote: { messageId: id, senderId: "replay" }, ios: {} }
      host.callable.emit("app.notifee.notification-event", { type, detail: { notification } })
    }
    receivePushes({
      isUsed: () => host.bundle.includes("NotifeeApiModule"),
      received: notify(delivered),
      opened: notify(press)
    })
    return {
      NotifeeApiModule: {
        ...constants({ ANDROID_API_LEVEL: 0 }),
        ...ignoring("createChannel createChannels"),
        ...resolving({
          displayNotification: display,
          createTriggerNotification: (options: unknown, trigger: unknown) => {
            const notification = fieldsIn(options)
            due.set(notification["id"], { notification, trigger })
            host.notes.line("The app schedules a notification, which a replay doesn't show.")
          },
          getDisplayedNotifications: () =>
            [...shown].map(([id, notification]) => ({ id, notification, date: String(Date.now()) })),
          getTriggerNotificationIds: () => [...due.keys()],
          getTriggerNotifications: () => [...due.values()],
          cancelNotification: either.one,
          cancelAllNotifications: either.all,
          cancelAllNotificationsWithIds: either.some,
          cancelDisplayedNotification: displayed.one,
          cancelDisplayedNotifications: displayed.all,
          cancelDisplayedNotificationsWithIds: displayed.some,
          cancelTriggerNotification: triggered.one,
          cancelTriggerNotifications: triggered.all,
          cancelTriggerNotificationsWithIds: triggered.some,
          getNotificationSettings: () => settings(permissionOf("notifications")),
          requestPermission: async () => settings(await askPermission(host, "notifications")),
          getInitialNotification: null,
          getBadgeCount: () => badge,
          setBadgeCount: (count: unknown) => void (badge = numberIn(count) ?? 0),
          incrementBadgeCount: add,
          decrementBadgeCount: (by: unknown) => add(-(numberIn(by) ?? 1)),
          setNotificationCategories: null,
          getNotificationCategories: []
        })
      }
    }
  }
}
