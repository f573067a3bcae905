// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_graph_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! graph_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
        table GraphExp: GraphExpDdiTable = ur_graph_exp_dditable_t, urGetGraphExpProcAddrTable;

        /// Creates an empty graph to capture commands into.
        ///
        /// The caller owns it and frees it with urGraphDestroyExp; fill it through urQueueBeginCaptureIntoGraphExp.
        /// CUDA analogue: cuGraphCreate.
        fn urGraphCreateExp = (pfnCreateExp, 296), via hContext (
            /// context the graph belongs to
            [in] hContext: ContextHandle,
            /// receives the new, empty graph
            [out, alloc] phGraph: *mut ExpGraphHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

        /// Creates an executable graph from a recorded one.
        ///
        /// The caller frees it with urGraphExecutableGraphDestroyExp, before destroying the recorded graph. CUDA
        /// analogue: cuGraphInstantiate.
        fn urGraphInstantiateGraphExp = (pfnInstantiateGraphExp, 307), via hGraph (
            /// recorded graph to instantiate
            [in] hGraph: ExpGraphHandle,
            /// receives the new executable graph
            [out] phExecGraph: *mut ExpExecutableGraphHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

        /// Destroys a recorded graph.
        ///
        /// Every executable graph made from it must be destroyed first. CUDA analogue: cuGraphDestroy.
        fn urGraphDestroyExp = (pfnDestroyExp, 302), via hGraph (
            /// graph to destroy; invalid afterwards
            [in] hGraph: ExpGraphHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE];

        /// Destroys an executable graph.
        ///
        /// No queue may still be running it. CUDA analogue: cuGraphExecDestroy.
        fn urGraphExecutableGraphDestroyExp = (pfnExecutableGraphDestroyExp, 303), via hExecutableGraph (
            /// executable graph to destroy; invalid afterwards
            [in] hExecutableGraph: ExpExecutableGraphHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE];

        /// Returns whether a recorded graph has no nodes.
        fn urGraphIsEmptyExp = (pfnIsEmptyExp, 305), via hGraph (
            /// graph to query
            [in] hGraph: ExpGraphHandle,
            /// receives true when nothing has been recorded
            [out] pResult: *mut bool,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_GRAPH];

        /// Returns the number that identifies a graph within the process.
        ///
        /// Newer graphs get larger ids, and no two graphs share one.
        fn urGraphGetIdExp = (pfnGetIdExp, 326, since "2026.1.1"), via hGraph (
            /// graph to query
            [in] hGraph: ExpGraphHandle,
            /// receives the id
            [out] pGraphId: *mut u64,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

        /// Registers a host function to run when a graph is destroyed.
        ///
        /// Meant for freeing resources tied to the graph's lifetime. A null callback gives
        /// UR_RESULT_ERROR_INVALID_NULL_POINTER.
        fn urGraphSetDestructionCallbackExp = (pfnSetDestructionCallbackExp, 315, since "2026.1.1"), via hGraph (
            /// graph whose destruction is watched
            [in] hGraph: ExpGraphHandle,
            /// function to call; it must not use the graph
            [in] pfnCallback: ExpGraphDestructionCallback,
            /// passed unchanged to the callback; must not lead back to the graph; may be null
            [in, optional] pUserData: *mut c_void,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

        /// Writes a description of a recorded graph to a file, for debugging.
        ///
        /// The file format is up to the backend. CUDA analogue: cuGraphDebugDotPrint.
        fn urGraphDumpContentsExp = (pfnDumpContentsExp, 306), via hGraph (
            /// graph to describe
            [in] hGraph: ExpGraphHandle,
            /// null-terminated path of the file to write
            [in] filePath: *const c_char,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

        /// Returns the backend's own handle of a recorded graph.
        ///
        /// The graph keeps ownership. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
        fn urGraphGetNativeHandleExp = (pfnGetNativeHandleExp, 320, since "2026.1.1"), via hGraph (
            /// graph whose native handle is wanted
            [in] hGraph: ExpGraphHandle,
            /// receives the backend handle, valid while the graph lives
            [out] phNativeGraph: *mut NativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

        /// Returns the backend's own handle of an executable graph.
        ///
        /// The executable graph keeps ownership. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such
        /// object.
        fn urGraphExecutableGraphGetNativeHandleExp = (pfnExecutableGraphGetNativeHandleExp, 321, since "2026.1.1"), via hExecutableGraph (
            /// executable graph whose native handle is wanted
            [in] hExecutableGraph: ExpExecutableGraphHandle,
            /// receives the backend handle, valid while the executable graph lives
            [out] phNativeExecutableGraph: *mut NativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];
} } }
