import { activityIndicator, toggle } from "./controls.ts"
import { androidComponents } from "./android.ts"
import type { Component } from "./Component.ts"
import { image } from "./image.ts"
import { inputAccessory } from "./keyboard.ts"
import { modal, safeAreaView } from "./screen.ts"
import { refreshControl, scrollContent, scrollView } from "./scrollView.ts"
import { characters, span, text } from "./text.ts"
import { multilineInput, singleLineInput } from "./textInput.ts"
import { transparent, view } from "./view.ts"

/** The components of React Native itself, by the names that its renderer has for them, without `RCT`. */
export const components: Readonly<Record<string, Component>> = {
  View: view,
  Text: text,
  SelectableText: text,
  VirtualText: span,
  RawText: characters,
  ImageView: image,
  ScrollView: scrollView,
  ScrollContentView: scrollContent,
  RefreshControl: refreshControl,
  PullToRefreshView: refreshControl,
  SinglelineTextInputView: singleLineInput,
  MultilineTextInputView: multilineInput,
  Switch: toggle,
  ActivityIndicatorView: activityIndicator,
  ModalHostView: modal,
  SafeAreaView: safeAreaView,
  InputAccessoryView: inputAccessory,
  LayoutConformance: transparent,
  DebuggingOverlay: view,
  VirtualView: view,
  VirtualViewExperimental: view,
  ...androidComponents
}
