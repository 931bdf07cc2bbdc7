/** The native modules that the phone of a replay has, or does without, of React Native and of the packages that it knows. */
const known = new Set(
  [
    // React Native's own.
    "AccessibilityManager ActionSheetManager AlertManager AppState Appearance AsyncLocalStorage BlobModule Clipboard DevMenu",
    "DevSettings DeviceInfo ExceptionsManager FileReaderModule I18nManager ImageEditingManager ImageLoader ImageStoreManager",
    "LinkingManager ModalManager NativeAnimatedModule NativeAnimatedTurboModule NativeDOMCxx NativeIdleCallbacksCxx",
    "NativeMicrotasksCxx NativePerformanceCxx NativeReactNativeFeatureFlagsCxx Networking PlatformConstants SegmentFetcher SettingsManager",
    "ShareModule SourceCode StatusBarManager UIManager Vibration WebSocketModule",
    // Those of packages.
    "FastImageViewModule MmkvCxx MmkvPlatformContext NativeRNFBTurboAnalytics NativeRNFBTurboApp NativeRNFBTurboCrashlytics",
    "NativeRNFBTurboMessaging NativeRNFBTurboUtils NitroModules RNAsyncStorage RNBootSplash RNCAsyncStorage RNCClipboard RNCNetInfo",
    "RNCWebViewModule RNGestureHandlerModule RNGetRandomValues RNHapticFeedback RNLocalize RNMapsAirModule RNPermissions RNPurchases RNSentry OPSQLite",
    "RNRestart RNSModule RNShare RNSVGRenderableModule RNSVGSvgViewModule RNSkiaModule ReanimatedModule WorkletsModule",
    // Expo's.
    "ExpoApplication ExpoAsset ExpoAudio ExpoBlur ExpoBlurView ExpoCalendar ExpoCamera ExpoClipboard ExpoContacts ExpoContactsNext ExpoCrypto ExpoDevice ExpoFetchModule ExpoFontLoader ExpoFontUtils",
    "ExpoGo ExpoHaptics ExpoImage ExpoKeepAwake ExpoLinearGradient ExpoLinking ExpoLocalization ExpoLocation ExpoMediaLibrary ExpoMediaLibraryNext ExpoModulesCore",
    "ExponentFileSystem ExponentImagePicker ExpoSecureStore ExpoSQLite FileSystem ExpoSplashScreen ExpoSystemUI ExpoTrackingTransparency ExpoUpdates ExpoWebBrowser ExponentConstants",
    "ExpoBackgroundNotificationTasksModule ExpoBadgeModule ExpoNotificationCategoriesModule ExpoNotificationPermissionsModule",
    "ExpoNotificationPresenter ExpoNotificationScheduler ExpoNotificationsEmitter ExpoNotificationsHandlerModule",
    "ExpoPushTokenManager NotificationsServerRegistrationModule"
  ]
    .join(" ")
    .split(" ")
)

/** How a bundle asks for a module that it can't do without: by the function of React Native, and by that of Expo. */
const asked = /\b(?:getEnforcing|requireNativeModule)\)?\(\s*(["'])([A-Za-z]\w*)\1/g

/** The native modules that a bundle needs and the phone of a replay doesn't have, each once, in order. */
export const modulesNotReplayed = (bundle: string): ReadonlyArray<string> =>
  [...new Set(Array.from(bundle.matchAll(asked), ([, , name = ""]) => name))]
    .filter((name) => !known.has(name))
    .toSorted()
