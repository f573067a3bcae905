// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `object!`: the common part of all reference-counted objects.

/// Defines an object: a handle with one reference to it, and the loader that it came from.
macro_rules! object {
    (
        $(#[doc = $doc:literal])*
        $name:ident($handle:ident): $retain:ident, $release:ident $(, $info:ident = $get:ident)? $(, native $native:ident)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug)]
        pub struct $name {
            handle: oxur_api::$handle,
            loader: crate::Loader,
        }

        impl $name {
            /// Takes over a reference.
            ///
            /// # Safety
            /// The handle must belong to this loader and be alive, and the caller transfers one of its references.
            pub unsafe fn from_raw(loader: &crate::Loader, handle: oxur_api::$handle) -> Self {
                Self { handle, loader: loader.clone() }
            }

            /// The handle, without a reference.
            pub fn raw(&self) -> oxur_api::$handle {
                self.handle
            }

            /// The handle, together with the reference.
            pub fn into_raw(self) -> oxur_api::$handle {
                let mut this = core::mem::ManuallyDrop::new(self);
                // SAFETY: `this` is neither used nor dropped any more; only its loader must be dropped.
                unsafe { core::ptr::drop_in_place(&mut this.loader) };
                this.handle
            }

            /// The loader that this object came from.
            pub fn loader(&self) -> &crate::Loader {
                &self.loader
            }

            /// All functions.
            #[allow(dead_code, reason = "not every object has further methods")]
            pub(crate) fn fns(&self) -> &crate::Fns {
                self.loader.fns()
            }

            $(
            /// Queries a property.
            pub fn info<T: crate::FromInfo>(&self, property: oxur_api::$info) -> crate::Result<T> {
                crate::info::query(stringify!($get), |size, value, size_ret| {
                    // SAFETY: the handle is alive; `query` passes a buffer of `size` bytes, or none.
                    unsafe { self.fns().$get(self.handle, property, size, value, size_ret) }
                })
            }
            )?

            $(
            /// The handle of the driver's own object behind this one.
            pub fn native(&self) -> crate::Result<oxur_api::NativeHandle> {
                let mut native = 0;
                // SAFETY: the handle is alive and the result pointer is valid.
                unsafe { self.fns().$native(self.handle, &mut native) }?;
                Ok(native)
            }
            )?
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                // SAFETY: the handle is alive.
                unsafe { self.fns().$retain(self.handle) }.expect("an object that is alive can be retained");
                Self { handle: self.handle, loader: self.loader.clone() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the object owns one reference, which ends here.
                if let Err(error) = unsafe { self.fns().$release(self.handle) } {
                    // A drop cannot fail, and a panic in a drop hides the first one.
                    eprintln!(concat!("oxur-client: dropping a ", stringify!($name), ": {}"), error);
                }
            }
        }
    };
}
