import type { Host } from "../../modules/Host.ts"
import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import { receivePushes, type Delivered } from "../../modules/push.ts"
import { permissionAnswer } from "./asking.ts"
import type { makeClasses } from "./sharedObjects.ts"

/** The numbers of iOS. */
const statuses: Readonly<Record<Permission, number>> = { undetermined: 0, denied: 1, granted: 2 }

const permission = (status: Permission) => ({ ...permissionAnswer(status), ios: { status: statuses[status] } })

const notificationOf = ({ body, data, id, title }: Delivered) => ({
  date: Date.now(),
  request: {
    identifier: id,
    content: {
      title: title ?? null,
      subtitle: null,
      body: body ?? null,
      data,
      badge: null,
      sound: null,
      categoryIdentifier: null,
      attachments: []
    },
    trigger: { type: "push", payload: data }
  }
})

const [receivedEvent, openedEvent] = ["onDidReceiveNotification", "onDidReceiveNotificationResponse"]

/** Passes the push notifications of the page to the app. */
const emitterIn = ({ NativeModule }: Pick<ReturnType<typeof makeClasses>, "NativeModule">): object => {
  let last: object | null = null
  const emitter = Object.assign(new NativeModule(), {
    // Without it, the library listens to events of React Native instead.
    __expo_module_name__: "ExpoNotificationsEmitter",
    getLastNotificationResponse: () => last,
    clearLastNotificationResponse: () => {
      last = null
    }
  })
  receivePushes({
    isUsed: () => [receivedEvent, openedEvent].some((name) => emitter.listenerCount(name) > 0),
    received: (push) => emitter.emit(receivedEvent, notificationOf(push)),
    opened: (push) => {
      last = { notification: notificationOf(push), actionIdentifier: "expo.modules.notifications.actions.DEFAULT" }
      emitter.emit(openedEvent, last)
    }
  })
  return emitter
}

/** The modules of expo-notifications. Push notifications come from the page; a replay does not show the app's own. */
export const notifications = (
  host: Host,
  classes: Pick<ReturnType<typeof makeClasses>, "NativeModule">
): Readonly<Record<string, object>> => {
  const { notes } = host
  const nothing = async () => null
  const none = async () => []
  return {
    ExpoNotificationPermissionsModule: {
      getPermissionsAsync: async () => permission(permissionOf("notifications")),
      requestPermissionsAsync: async () => permission(await askPermission(host, "notifications"))
    },
    ExpoPushTokenManager: {
      getDevicePushTokenAsync: async () => {
        throw new Error("A replay has no push token.")
      },
      unregisterForNotificationsAsync: nothing
    },
    NotificationsServerRegistrationModule: {
      getInstallationIdAsync: async () => crypto.randomUUID(),
      getRegistrationInfoAsync: nothing,
      setRegistrationInfoAsync: nothing
    },
    ExpoNotificationScheduler: {
      getAllScheduledNotificationsAsync: none,
      scheduleNotificationAsync: async (id: string) => {
        notes.line("The app schedules a notification, which a replay doesn't show.")
        return id
      },
      cancelScheduledNotificationAsync: nothing,
      cancelAllScheduledNotificationsAsync: nothing,
      getNextTriggerDateAsync: nothing
    },
    ExpoNotificationPresenter: {
      getPresentedNotificationsAsync: none,
      dismissNotificationAsync: nothing,
      dismissAllNotificationsAsync: nothing
    },
    ExpoNotificationCategoriesModule: {
      getNotificationCategoriesAsync: none,
      setNotificationCategoryAsync: async (identifier: string, actions: unknown) => ({ identifier, actions }),
      deleteNotificationCategoryAsync: async () => false
    },
    ExpoNotificationsEmitter: emitterIn(classes),
    ExpoNotificationsHandlerModule: { handleNotificationAsync: nothing },
    ExpoBackgroundNotificationTasksModule: { registerTaskAsync: nothing, unregisterTaskAsync: nothing },
    ExpoBadgeModule: { getBadgeCountAsync: async () => 0, setBadgeCountAsync: async () => false }
  }
}
